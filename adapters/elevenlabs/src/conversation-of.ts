import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { ConversationStatus, ProviderConversation, TranscriptEntry } from '@parley/reflections'
import { dateOf } from './date-of.ts'

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

export function conversationOf(wire: WireConversation): ProviderConversation {
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
export const statusOf = (status: string): ConversationStatus =>
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
