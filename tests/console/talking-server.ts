import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreatedShareLink,
  CreatedToken,
  Reflection,
  SharedReflection,
  Source,
  VoiceSessionResponse,
} from '@parley/contracts'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { vi } from 'vitest'
import { openConsole, PATIENCE_MS } from '../support/console-server.ts'
import { openBrowserWithMicrophone } from '../support/microphone.ts'
import { VOICE_KEY } from '../support/running-parley.ts'

const PATIENTLY = { timeout: PATIENCE_MS }

const QUESTION = 'Who planted the pear tree behind the house?'
const NOTE =
  'I am Ada Winter. The pear tree behind the house was planted by my sister Runa in 1998. I live in Kent.'
const SECRET = 'I am Ada Winter. My boat is called Kettlewick.'

export type TalkingServer = Awaited<ReturnType<typeof startTalkingServer>>

/** Stops everything if one part fails to start. */
export async function startTalkingServer() {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const closes of closing.toReversed()) await closes()
  }
  try {
    return { ...(await startParts(closing)), close }
  } catch (failure) {
    await close()
    throw failure
  }
}

/** A server with a small reflection that has a voice, a public folder and a share link; and a browser with a microphone. */
async function startParts(closing: (() => unknown)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'))
  closing.push(() => rm(folder, { recursive: true }))
  const browser = openBrowserWithMicrophone(folder, {
    question: QUESTION,
    secondsBefore: 2,
    // Outlasts an answer and the click on Mute, because repeated speech would interrupt the answer.
    secondsAfter: 25,
    isRepeated: true,
  })
  closing.push(async () => (await browser).close())
  const server = await openConsole({ browser })
  closing.push(() => server.close())
  const { url, token, voiceUrl } = server.ready

  const { call } = server
  const made = Reflection.parse(
    await call('POST', '/reflections', { displayName: 'Ada Winter', creatorName: 'Ada Winter' }),
  )
  const at = `/reflections/${made.id}`
  await call('PATCH', at, { voice: { voiceId: 'slt', kind: 'stock' } })
  await learn('garden', 'Garden notes', NOTE)
  await learn('diary', 'Diary', SECRET)
  await call('POST', `${at}/publish`, { namespaces: ['garden'] })
  const share = async (input: object = {}) =>
    CreatedShareLink.parse(await call('POST', `${at}/share-links`, input))
  const { token: link } = await share()
  await vi.waitUntil(() => isReady(link), PATIENTLY)

  async function learn(namespace: string, title: string, text: string) {
    await call('POST', `${at}/namespaces`, { name: namespace })
    const { id } = Source.parse(await call('POST', `${at}/sources`, { title, namespace, text }))
    const isLearned = async () => Source.parse(await call('GET', `${at}/sources/${id}`)).state === 'completed'
    await vi.waitUntil(isLearned, PATIENTLY)
  }

  async function isReady(linkToken: string): Promise<boolean> {
    const response = await fetch(`${url}/v1/r/${linkToken}`)
    return SharedReflection.parse(await response.json()).isReady
  }

  return {
    url,
    call,
    at,
    link,
    share,
    /** Starts a call as an operator. */
    async callOfAnother() {
      const input = { label: 'Another', reflectionId: made.id, role: 'operator' }
      const another = CreatedToken.parse(await call('POST', '/tokens', input))
      const started = { channel: 'voice', reflectionId: made.id }
      return VoiceSessionResponse.parse(await call('POST', '/sessions', started, another.token))
    },
    /** Faults of the voice provider from now on. */
    async faults(...rules: readonly object[]) {
      await fetch(`${voiceUrl}/parley/faults`, {
        method: 'PUT',
        headers: { 'xi-api-key': VOICE_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ rules }),
      })
    },
    async page(
      given: BrowserContextOptions = {},
      open = server.newContext,
    ): Promise<{ page: Page; complaints: string[] }> {
      const page = await (await open(given)).newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on(
        'console',
        (message) => /Content Security Policy/.test(message.text()) && complaints.push(message.text()),
      )
      return { page, complaints }
    },
    /** Opens the talk page of a signed-in person. */
    async talk(page: Page) {
      await page.goto(`${url}/reflections/${made.id}/talk#token=${token}`)
      await page.getByRole('heading', { name: 'Talk with Ada Winter' }).waitFor()
    },
  }
}
