import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import type { VoiceProvider } from '@parley/voice'
import { unlessMissing } from './call/agent-outcome.ts'
import type { Caller } from './call/caller.ts'
import { conversationOf, statusOf, WireConversation } from './conversation-of.ts'
import { dateOf } from './date-of.ts'

type Conversations = Pick<VoiceProvider, 'readConversation' | 'listConversations' | 'removeConversation'>

export const conversationsOf = ({ call }: Caller): Conversations => ({
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

  async removeConversation(conversationId, signal) {
    await unlessMissing(
      call('write', signal, (client, options) =>
        client.conversationalAi.conversations.delete(conversationId, options),
      ),
    )
  },
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
