import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freshDatabase } from '@parley/postgres/testing'
import { openSpeech } from '@parley/offline-speech'
import { encodeSound } from '@parley/speech'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { connectRawClient, OPENING_FRAME, isOfType } from '../conversation/conversation-server.fixture.ts'
import { startTestVoice } from '../testing/test-voice.ts'
import { createVendorClient } from '../testing/vendor-client.ts'
import { GARDEN_QUESTIONS, createGardenAgent } from './garden-agent.fixture.ts'
import {
  findNewHandles,
  type HandleCounts,
  countHeldResources,
  countActiveHandles,
} from './held-resources.fixture.ts'

type Client = Awaited<ReturnType<typeof connectRawClient>>

/** A client's actions before it disconnects. */
const MOMENTS: Readonly<Record<string, (client: Client, question: Uint8Array) => Promise<unknown>>> = {
  'before it opens the conversation': async () => undefined,
  'before the metadata': async ({ send }) => send(OPENING_FRAME),
  'in the greeting': waitUntilOpen,
  'while it speaks': async (client, question) => {
    await waitUntilOpen(client)
    speak(client, question.subarray(0, question.length / 2))
  },
  'while it is understood': async (client, question) => {
    await waitUntilOpen(client)
    speak(client, question)
  },
  'while a tool runs': async (client) => {
    await waitUntilOpen(client)
    client.send({ type: 'user_message', text: GARDEN_QUESTIONS[1].question })
    await client.seen(isOfType('agent_tool_request'))
  },
  'in the answer': async (client) => {
    await waitUntilOpen(client)
    const place = client.frames.length
    client.send({ type: 'user_message', text: 'Who are you?' })
    await client.seen(isOfType('audio'), place)
  },
}

const WAYS: Readonly<Record<string, (client: Client) => void>> = {
  'is cut off': ({ socket }) => socket.terminate(),
  'hangs up': ({ socket }) => socket.close(1000),
}

const DROPS = fc.sample(
  fc.record({
    moment: fc.constantFrom(...Object.keys(MOMENTS)),
    way: fc.constantFrom(...Object.keys(WAYS)),
    afterMs: fc.nat(300),
  }),
  30,
)
const AT_ONCE = 6
const PATIENCE = { timeout: 60_000, interval: 250 }

test(
  '[X2] thirty calls dropped at random moments leave no socket, thread, timer or open row',
  {
    timeout: 240_000,
  },
  async () => {
    // All tests of this process share a connection to the database server, which stays open.
    const { drop } = await freshDatabase('empty')
    await drop()
    // Polling uses a timer too, before and after.
    let before = countActiveHandles()
    await expect.poll(() => (before = countActiveHandles()), PATIENCE).toBeDefined()
    const speech = openSpeech({ onError: () => undefined })
    const voice = await startTestVoice({ speech, spokenCalls: 30 })
    const tool = await startSilentTool()
    const garden = await createGardenAgent(voice, {
      sourceUrl: tool.url,
      firstMessage: 'Hello, this is the garden.',
    })
    const { conversations } = createVendorClient(voice).conversationalAi
    const { signal } = new AbortController()
    const said = await speech.synthesiser.synthesise(GARDEN_QUESTIONS[0].question, {}, signal)
    const question = encodeSound(said, 'pcm_16000')
    await speech.warmUp()
    const ports = { voice: getPort(voice.url), tool: getPort(tool.url), database: getPort(voice.databaseUrl) }
    let idle = countHeldResources(ports)
    await expect.poll(() => (idle = countHeldResources(ports)), PATIENCE).toMatchObject({ sockets: 0 })

    const url = `${voice.url.replace('http', 'ws')}/v1/convai/conversation?agent_id=${garden.agentId}`
    const drops = DROPS.values()
    const dropAll = async () => {
      for (const { moment, way, afterMs } of drops) {
        const client = await connectRawClient(url)
        await MOMENTS[moment]?.(client, question)
        await pause(afterMs)
        WAYS[way]?.(client)
        await client.closed
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, dropAll))

    const readStatuses = async () => {
      const { conversations: all } = await conversations.list({ agentId: garden.agentId, pageSize: 100 })
      return all.map(({ status }) => status)
    }
    await expect.poll(readStatuses, PATIENCE).toEqual(DROPS.map(() => 'done'))
    const isReleased = ({ sockets, threads, timers }: HandleCounts) =>
      sockets === 0 && threads <= idle.threads && timers <= idle.timers
    await expect.poll(() => countHeldResources(ports), PATIENCE).toSatisfy(isReleased)
    await tool.stop()
    await voice.stop()
    await expect.poll(() => findNewHandles(before), PATIENCE).toEqual({})
  },
)

async function waitUntilOpen(client: Client) {
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
}

function speak({ send }: Client, sound: Uint8Array) {
  for (let at = 0; at < sound.length; at += 3_200)
    send({ user_audio_chunk: Buffer.from(sound.subarray(at, at + 3_200)).toString('base64') })
}

/** A server for a tool that never answers. */
async function startSilentTool() {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop }
}

const getPort = (url: string) => Number(new URL(url).port)
