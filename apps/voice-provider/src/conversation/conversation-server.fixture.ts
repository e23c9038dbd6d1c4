import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ModelPort } from '@parley/engine'
import { createOfflineModel } from '@parley/llm'
import type { Sound, Speech } from '@parley/speech'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { ToolDocument } from '../agents/tool-document.ts'
import { ConversationConfig } from '../agents/conversation-config.ts'
import { PlatformSettings } from '../agents/platform-settings.ts'
import { createFaults } from '../faults.ts'
import type { ConversationDocument } from './conversation-document.ts'
import { createConversationSockets } from '../accept-conversations.ts'
import { serveConversation } from './serve-conversation.ts'

interface ConversationServerOptions {
  readonly config?: unknown
  readonly platform?: unknown
  readonly tools?: readonly ToolDocument[]
  readonly model?: ModelPort
  readonly speech?: Speech
  readonly secrets?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
}

export interface FinishedConversation {
  readonly record: ConversationDocument
  readonly audio: Uint8Array | undefined
}

/** A conversation server with one agent, on loopback and in memory, until the test ends. */
export async function startConversations(given: ConversationServerOptions = {}) {
  const {
    tools = [],
    model = createOfflineModel(),
    speech = createQuietSpeech(),
    secrets = {},
    environment = {},
  } = given
  const agent: AgentDocument = {
    agentId: 'agent_test',
    branchId: 'agtbrch_test',
    versionId: 'agtvrsn_test',
    name: 'Test',
    tags: [],
    conversation_config: ConversationConfig.parse(given.config ?? {}),
    platform_settings: PlatformSettings.parse(given.platform ?? {}),
    createdAtUnixSecs: 0,
    updatedAtUnixSecs: 0,
  }
  const saved: ConversationDocument[] = []
  const finished: FinishedConversation[] = []
  const errors: unknown[] = []
  const faults = createFaults()
  const stopping = new AbortController()
  let passed = 0
  const serving = new Set<Promise<void>>()
  const sockets = createConversationSockets()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (!pathname.endsWith('/get-signed-url')) {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ signed_url: `${url()}?agent_id=${agent.agentId}&conversation_signature=made-up` }),
    )
  })
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) => {
      const conversation = serveConversation(client, {
        agent,
        conversationId: `conv_${randomUUID().replaceAll('-', '')}`,
        authorization: 'signed_url',
        signal: stopping.signal,
        hangUp: new AbortController().signal,
        host: {
          findTools: async (ids) => tools.filter(({ id }) => ids.includes(id)),
          readSecret: async (id) => secrets[id],
          readEnvironmentValue: async (label) => environment[label],
          selectModel: async () => model,
          speech,
          faults,
          save: async (record) => void saved.push(record),
          finish: async (record, audio) => void finished.push({ record, audio }),
          now: () => Date.now() + passed,
          onError: (error) => errors.push(error),
        },
      })
      serving.add(conversation)
      void conversation.finally(() => serving.delete(conversation))
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  const url = () => `ws://127.0.0.1:${port}/v1/convai/conversation`
  const stop = async () => {
    stopping.abort()
    await Promise.all(serving)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)

  return {
    url: url(),
    httpUrl: `http://127.0.0.1:${port}`,
    saved,
    finished,
    errors,
    faults,
    serving,
    /** Resolves with the last conversation when all are stored. */
    async allFinished(): Promise<FinishedConversation> {
      await Promise.all(serving)
      const last = finished.at(-1)
      if (!last) throw new Error('no conversation was kept')
      return last
    },
    stopConversations: () => stopping.abort(),
    /** Moves the clock forward. */
    pass: (milliseconds: number) => void (passed += milliseconds),
    stop,
  }
}

export type ReceivedFrame = { readonly type: string } & Readonly<
  Record<string, Record<string, unknown> | undefined>
>

/** A raw client, for behaviour that the vendor's clients do not have. */
export async function connectRawClient(url: string, protocols: readonly string[] = []) {
  const socket = new WebSocket(url, [...protocols])
  const frames: ReceivedFrame[] = []
  const waiting = new Set<() => void>()
  const notifyWaiting = () => waiting.forEach((check) => check())
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString() })
      notifyWaiting()
    }),
  )
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    frames.push(JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : '') as ReceivedFrame)
    notifyWaiting()
  })
  await once(socket, 'open')
  return {
    socket,
    frames,
    closed,
    send: (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    /** Resolves with the first matching frame from an index on. */
    seen: (isIt: (frame: ReceivedFrame) => boolean, from = 0): Promise<ReceivedFrame> =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = frames.slice(from).find(isIt)
          if (!found && socket.readyState < WebSocket.CLOSING) return
          waiting.delete(check)
          if (found) resolve(found)
          else
            reject(
              new Error(`closed before it came; there were ${frames.map(({ type }) => type).join(', ')}`),
            )
        }
        waiting.add(check)
        check()
      }),
  }
}

export const OPENING_FRAME = { type: 'conversation_initiation_client_data' }

export const isOfType =
  (type: string) =>
  (frame: ReceivedFrame): boolean =>
    frame.type === type

/** Fake speech: recognises the given texts in order, and speaks tones with a fixed time per letter. */
export function createScriptedSpeech(
  heard: readonly string[] = [],
  millisecondsALetter = 10,
): Speech & { readonly spoken: string[] } {
  const left = [...heard]
  const spoken: string[] = []
  return {
    spoken,
    recogniser: { recognise: async () => left.shift() ?? '' },
    synthesiser: {
      async synthesise(sentence) {
        spoken.push(sentence)
        return createTone(sentence.length * millisecondsALetter)
      },
    },
    close: async () => undefined,
  }
}

const createQuietSpeech = () => createScriptedSpeech()

function createTone(milliseconds: number, sampleRate = 16_000): Sound {
  const length = Math.round((milliseconds / 1_000) * sampleRate)
  const samples = new Int16Array(length)
  for (let at = 0; at < length; at += 1)
    samples[at] = Math.round(9_000 * Math.sin((at * 440 * 2 * Math.PI) / sampleRate))
  return { sampleRate, samples }
}

/** Frames with a second of speech and the pause after it. */
export function createSoundFrames(pauseSeconds = 1): readonly { readonly user_audio_chunk: string }[] {
  const quiet = new Int16Array(16_000 * 0.4)
  const pause = new Int16Array(16_000 * pauseSeconds)
  return [quiet, createTone(800).samples, pause].flatMap((samples) => {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
    const pieces = Math.ceil(bytes.length / 3_200)
    return Array.from({ length: pieces }, (_, at) => ({
      user_audio_chunk: bytes.subarray(at * 3_200, (at + 1) * 3_200).toString('base64'),
    }))
  })
}
