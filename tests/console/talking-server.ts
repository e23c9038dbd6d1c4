import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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
import { openSpeech } from '@parley/offline-speech'
import { encodeWav, joinSamples } from '@parley/speech'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { vi } from 'vitest'
import { openConsole, PATIENCE_MS } from '../support/console-server.ts'
import { openBrowser } from '../support/open-browser.ts'
import { VOICE_KEY } from '../support/running-parley.ts'

const PATIENTLY = { timeout: PATIENCE_MS }

/** The microphone's input, repeated with a pause. */
const QUESTION = 'Who planted the pear tree behind the house?'
const NOTE =
  'I am Ada Winter. The pear tree behind the house was planted by my sister Runa in 1998. I live in Kent.'
const SECRET = 'I am Ada Winter. My boat is called Kettlewick.'

export type TalkingServer = Awaited<ReturnType<typeof talkingServer>>

/** Stops everything if one part fails to start. */
export async function talkingServer() {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const closes of closing.toReversed()) await closes()
  }
  try {
    return { ...(await comeUp(closing)), close }
  } catch (failure) {
    await close()
    throw failure
  }
}

/** A server with a small reflection that has a voice, a public folder and a share link; and a browser with a microphone. */
async function comeUp(closing: (() => unknown)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'))
  closing.push(() => rm(folder, { recursive: true }))
  const browser = openBrowser(
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${await spokenInto(folder)}`,
    '--autoplay-policy=no-user-gesture-required',
  )
  closing.push(async () => (await browser).close())
  const server = await openConsole({ browser })
  closing.push(() => server.close())
  const { url, token, voiceUrl } = server.ready

  const call = async (method: string, path: string, body?: object, as = token): Promise<unknown> => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return response.status === 204 ? undefined : response.json()
  }

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

async function spokenInto(folder: string): Promise<string> {
  const speech = openSpeech({ onError: () => undefined })
  const said = await speech.synthesiser.synthesise(QUESTION, {}, new AbortController().signal)
  await speech.close()
  const { samples, sampleRate } = said
  // The pause outlasts an answer and the click on Mute, since repeated speech would interrupt the answer.
  const pause = new Int16Array(25 * sampleRate)
  const heard = joinSamples([new Int16Array(2 * sampleRate), samples, pause])
  const path = join(folder, 'microphone.wav')
  await writeFile(path, encodeWav({ samples: heard, sampleRate }))
  return path
}
