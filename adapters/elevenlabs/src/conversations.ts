import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { type Json, PlatformError } from '@parley/contracts'
import type {
  ConversationStatus,
  ProviderConversation,
  TranscriptEntry,
  VoiceProvider,
} from '@parley/reflections'
import { type Caller, unlessMissing } from './call/caller.ts'
import { dateOf } from './vendor-values.ts'

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

const ToolCall = z.looseObject({
  request_id: z.string(),
  tool_name: z.string(),
  params_as_json: z.string().nullish(),
})

const ToolResult = z.looseObject({
  request_id: z.string(),
  result_value: z.unknown(),
  is_error: z.boolean().nullish(),
  tool_latency_secs: z.number().nullish(),
})

type ToolResult = z.infer<typeof ToolResult>

const Entry = z.looseObject({
  role: z.string(),
  message: z.string().nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  tool_results: z.array(ToolResult).nullish(),
  time_in_call_secs: z.number().nullish(),
  interrupted: z.boolean().nullish(),
})

/** A conversation on the wire; only what we read of it has to be there. */
export const WireConversation = z.looseObject({
  conversation_id: z.string().min(1),
  agent_id: z.string().min(1),
  status: z.string(),
  transcript: z.array(Entry).nullish(),
  metadata: z.looseObject({
    start_time_unix_secs: z.number(),
    call_duration_secs: z.number(),
    termination_reason: z.string().nullish(),
  }),
  conversation_initiation_client_data: z
    .looseObject({ dynamic_variables: z.record(z.string(), z.unknown()).nullish() })
    .nullish(),
  has_audio: z.boolean().nullish(),
})
type WireConversation = z.infer<typeof WireConversation>

/** The same as it is told once it is over: whose it is and what was said is enough to take it. */
export const WireTold = WireConversation.extend({
  agent_id: z.string().nullish(),
  status: z.string().nullish(),
  transcript: z.array(Entry),
  metadata: WireConversation.shape.metadata
    .extend({ start_time_unix_secs: z.number().nullish(), call_duration_secs: z.number().nullish() })
    .nullish(),
})

/** What is missing is taken as it is of a call that was over when it was told of. */
export const toldConversationOf = (told: z.infer<typeof WireTold>, toldAt: number): ProviderConversation =>
  conversationOf({
    ...told,
    agent_id: told.agent_id ?? '',
    status: told.status ?? 'done',
    metadata: {
      ...told.metadata,
      start_time_unix_secs: told.metadata?.start_time_unix_secs ?? toldAt,
      call_duration_secs: told.metadata?.call_duration_secs ?? 0,
    },
  })

function conversationOf(wire: WireConversation): ProviderConversation {
  const { metadata } = wire
  const variables = wire.conversation_initiation_client_data?.dynamic_variables ?? {}
  const entries = wire.transcript ?? []
  const results = entries.flatMap(({ tool_results }) => tool_results ?? [])
  return {
    conversationId: wire.conversation_id,
    agentId: wire.agent_id,
    status: statusOf(wire.status),
    startedAt: dateOf(metadata.start_time_unix_secs),
    durationSeconds: metadata.call_duration_secs,
    entries: entries.map((entry) => entryOf(entry, results)),
    variables: variables as Readonly<Record<string, Json>>,
    hasAudio: wire.has_audio ?? false,
    ...(metadata.termination_reason && { endReason: metadata.termination_reason }),
  }
}

const STATUSES: readonly string[] = [
  'initiated',
  'in-progress',
  'processing',
  'done',
  'failed',
] satisfies readonly ConversationStatus[]

/** A status that we do not know yet is one to wait for. */
const statusOf = (status: string): ConversationStatus =>
  STATUSES.includes(status) ? (status as ConversationStatus) : 'processing'

/** `message` is what was heard; what would have been said stands apart in `original_message`, and is not read. */
function entryOf(entry: z.infer<typeof Entry>, results: readonly ToolResult[]): TranscriptEntry {
  return {
    role: entry.role === 'user' ? 'person' : 'agent',
    text: entry.message ?? '',
    isInterrupted: entry.interrupted ?? false,
    atSeconds: entry.time_in_call_secs ?? 0,
    toolCalls: toolCallsOf(entry, results),
  }
}

/** A result may stand in a later entry than its call. */
function toolCallsOf(
  { tool_calls, tool_results }: z.infer<typeof Entry>,
  ofAll: readonly ToolResult[],
): TranscriptEntry['toolCalls'] {
  return (tool_calls ?? []).map((call) => {
    const isOfCall = ({ request_id }: ToolResult) => request_id === call.request_id
    const result = tool_results?.find(isOfCall) ?? ofAll.find(isOfCall)
    return {
      callId: call.request_id,
      name: call.tool_name,
      input: call.params_as_json ?? '{}',
      ...(result && { result: resultOf(result) }),
    }
  })
}

const resultOf = (result: ToolResult) => ({
  text: textOf(result.result_value ?? ''),
  isError: result.is_error ?? false,
  tookSeconds: result.tool_latency_secs ?? 0,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
