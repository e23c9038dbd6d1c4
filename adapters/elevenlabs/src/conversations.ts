import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { PlatformError } from '@parley/contracts'
import type { VoiceProvider } from '@parley/reflections'
import { WebSocket } from 'ws'
import { unlessMissing } from './call/agent-outcome.ts'
import type { Caller } from './call/caller.ts'
import { conversationOf, statusOf, WireConversation } from './conversation-of.ts'
import { dateOf } from './date-of.ts'

type Conversations = Pick<
  VoiceProvider,
  'readConversation' | 'listConversations' | 'endConversation' | 'removeConversation'
>

export const conversationsOf = ({ call, apiKey, baseUrl }: Caller): Conversations => ({
  readConversation(conversationId, signal) {
    return unlessMissing(
      call('read', signal, (client, { abortSignal }) => readWire(client, conversationId, abortSignal)),
    )
  },

  async listConversations({ agentId, after, cursor }, signal) {
    const page = await call('read', signal, (client, options) =>
      client.conversationalAi.conversations.list(
        {
          pageSize: 100,
          ...(agentId !== undefined && { agentId }),
          ...(after !== undefined && { callStartAfterUnix: Math.floor(Date.parse(after) / 1_000) }),
          ...(cursor !== undefined && { cursor }),
        },
        options,
      ),
    )
    return {
      conversations: page.conversations.map((one) => ({
        conversationId: one.conversationId,
        agentId: one.agentId,
        status: statusOf(one.status),
        startedAt: dateOf(one.startTimeUnixSecs),
        durationSeconds: one.callDurationSecs,
      })),
      ...(page.hasMore && page.nextCursor && { nextCursor: page.nextCursor }),
    }
  },

  async endConversation(conversationId, signal) {
    const path = `/v1/convai/conversations/${encodeURIComponent(conversationId)}/monitor`
    const url = new URL(path, baseUrl.replace(/^http/, 'ws'))
    if (await endByMonitor(url, apiKey, signal)) return
    // A call that is over cannot be monitored either.
    const held = await this.readConversation(conversationId, signal)
    if (held?.status === 'initiated' || held?.status === 'in-progress') throw notEnded(conversationId)
  },

  async removeConversation(conversationId, signal) {
    await unlessMissing(
      call('write', signal, (client, options) =>
        client.conversationalAi.conversations.delete(conversationId, options),
      ),
    )
  },
})

/** The provider closes the socket when the call is over; we do where it does not. */
const AFTER_COMMAND_MS = 1_000

/** Over the provider's monitoring socket, the only control of a running call. False where it was not opened. */
function endByMonitor(url: URL, apiKey: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const socket = new WebSocket(url, { headers: { 'xi-api-key': apiKey } })
  let isSent = false
  const onAbort = () => {
    reject(new PlatformError('cancelled', { message: 'Ending the call was cancelled.' }))
    socket.close()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  socket.on('open', () => {
    socket.send(JSON.stringify({ command_type: 'end_call' }))
    isSent = true
    setTimeout(() => socket.close(), AFTER_COMMAND_MS).unref()
  })
  // An error is followed by the close.
  socket.on('error', () => {})
  socket.on('close', () => resolve(isSent))
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

const notEnded = (conversationId: string) =>
  new PlatformError('provider_unavailable', {
    conversationId,
    message:
      'The voice provider did not end a running call: it has to allow monitoring for this key and agent.',
  })

/** By the SDK's plain request: its own reader refuses a whole transcript for one field that it misses. */
async function readWire(client: ElevenLabsClient, conversationId: string, abortSignal: AbortSignal) {
  const path = `/v1/convai/conversations/${encodeURIComponent(conversationId)}`
  const response = await client.fetch(path, {}, { abortSignal })
  const body = bodyOf(await response.text())
  if (!response.ok) throw new StatusError(response, body)
  const wire = WireConversation.safeParse(body)
  if (!wire.success) throw new ForeignAnswerError('not a conversation', { cause: wire.error })
  return conversationOf(wire.data)
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** As the SDK's own error for a status. */
class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly statusCode: number
  readonly rawResponse: { readonly headers: Headers }
  readonly body: unknown
  constructor({ status, headers }: Response, body: unknown) {
    super(`HTTP ${status}`)
    this.statusCode = status
    this.rawResponse = { headers }
    this.body = body
  }
}

class ForeignAnswerError extends Error {
  override readonly name = 'ForeignAnswerError'
}
