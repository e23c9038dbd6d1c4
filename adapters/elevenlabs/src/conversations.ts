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
import { type VendorCaller, ignoreMissing } from './vendor-caller.ts'
import { toIsoDate } from './vendor-values.ts'

type Conversations = Pick<
  VoiceProvider,
  'readConversation' | 'listConversations' | 'endConversation' | 'removeConversation'
>

export const createConversationMethods = ({ call, apiKey, baseUrl }: VendorCaller): Conversations => ({
  readConversation(conversationId, signal) {
    return ignoreMissing(
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
        status: toStatus(one.status),
        startedAt: toIsoDate(one.startTimeUnixSecs),
        durationSeconds: one.callDurationSecs,
      })),
      ...(page.hasMore && page.nextCursor && { nextCursor: page.nextCursor }),
    }
  },

  async endConversation(conversationId, signal) {
    const path = `/v1/convai/conversations/${encodeURIComponent(conversationId)}/monitor`
    const url = new URL(path, baseUrl.replace(/^http/, 'ws'))
    if (await endOverMonitor(url, apiKey, signal)) return
    // Monitoring also fails for a call that is already over.
    const existing = await this.readConversation(conversationId, signal)
    if (existing?.status === 'initiated' || existing?.status === 'in-progress')
      throw createNotEndedError(conversationId)
  },

  async removeConversation(conversationId, signal) {
    await ignoreMissing(
      call('write', signal, (client, options) =>
        client.conversationalAi.conversations.delete(conversationId, options),
      ),
    )
  },
})

/** The provider closes the socket after the call; we close it after this time. */
const AFTER_COMMAND_MS = 1_000

/** Ends a running call over the provider's monitoring socket, the only way to do it. Returns false if the socket did not open. */
function endOverMonitor(url: URL, apiKey: string, signal: AbortSignal): Promise<boolean> {
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
  // A close event follows every error.
  socket.on('error', () => {})
  socket.on('close', () => resolve(isSent))
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

const createNotEndedError = (conversationId: string) =>
  new PlatformError('provider_unavailable', {
    conversationId,
    message: 'The voice provider did not end the running call. Allow monitoring for this key and agent.',
  })

/** Uses the SDK's plain request: its typed reader rejects a whole transcript if one field is missing. */
async function readWire(client: ElevenLabsClient, conversationId: string, abortSignal: AbortSignal) {
  const path = `/v1/convai/conversations/${encodeURIComponent(conversationId)}`
  const response = await client.fetch(path, {}, { abortSignal })
  const body = parseBody(await response.text())
  if (!response.ok) throw new StatusError(response, body)
  const wire = WireConversation.safeParse(body)
  if (!wire.success) throw new UnexpectedResponseError('not a conversation', { cause: wire.error })
  return toConversation(wire.data)
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Has the fields of the SDK's own status error. */
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

class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError'
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

/** A conversation on the wire. Only the fields we read are required. */
const WireConversation = z.looseObject({
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

/** The same in a post-call webhook: the id and the transcript are enough. */
export const WirePostCall = WireConversation.extend({
  agent_id: z.string().nullish(),
  status: z.string().nullish(),
  transcript: z.array(Entry),
  metadata: WireConversation.shape.metadata
    .extend({ start_time_unix_secs: z.number().nullish(), call_duration_secs: z.number().nullish() })
    .nullish(),
})

/** Missing fields get the values of a call that ended when the webhook was sent. */
export const toEndedConversation = (
  body: z.infer<typeof WirePostCall>,
  sentAtSeconds: number,
): ProviderConversation =>
  toConversation({
    ...body,
    agent_id: body.agent_id ?? '',
    status: body.status ?? 'done',
    metadata: {
      ...body.metadata,
      start_time_unix_secs: body.metadata?.start_time_unix_secs ?? sentAtSeconds,
      call_duration_secs: body.metadata?.call_duration_secs ?? 0,
    },
  })

function toConversation(wire: WireConversation): ProviderConversation {
  const { metadata } = wire
  const variables = wire.conversation_initiation_client_data?.dynamic_variables ?? {}
  const entries = wire.transcript ?? []
  const results = entries.flatMap(({ tool_results }) => tool_results ?? [])
  return {
    conversationId: wire.conversation_id,
    agentId: wire.agent_id,
    status: toStatus(wire.status),
    startedAt: toIsoDate(metadata.start_time_unix_secs),
    durationSeconds: metadata.call_duration_secs,
    entries: entries.map((entry) => toEntry(entry, results)),
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

/** Unknown statuses count as `processing`: read again later. */
const toStatus = (status: string): ConversationStatus =>
  STATUSES.includes(status) ? (status as ConversationStatus) : 'processing'

/** `message` is the part that was heard. The full answer is in `original_message`, which we ignore. */
function toEntry(entry: z.infer<typeof Entry>, results: readonly ToolResult[]): TranscriptEntry {
  return {
    role: entry.role === 'user' ? 'person' : 'agent',
    text: entry.message ?? '',
    isInterrupted: entry.interrupted ?? false,
    atSeconds: entry.time_in_call_secs ?? 0,
    toolCalls: toToolCalls(entry, results),
  }
}

/** A result may be in a later entry than its call. */
function toToolCalls(
  { tool_calls, tool_results }: z.infer<typeof Entry>,
  allResults: readonly ToolResult[],
): TranscriptEntry['toolCalls'] {
  return (tool_calls ?? []).map((call) => {
    const isOfCall = ({ request_id }: ToolResult) => request_id === call.request_id
    const result = tool_results?.find(isOfCall) ?? allResults.find(isOfCall)
    return {
      callId: call.request_id,
      name: call.tool_name,
      input: call.params_as_json ?? '{}',
      ...(result && { result: toToolResult(result) }),
    }
  })
}

const toToolResult = (result: ToolResult) => ({
  text: toText(result.result_value ?? ''),
  isError: result.is_error ?? false,
  tookSeconds: result.tool_latency_secs ?? 0,
})

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
