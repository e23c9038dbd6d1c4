import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { ClientResult } from '../agent-tools/client-tool.ts'

const JsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<Record<string, Json>>

const Initiation = z.looseObject({
  type: z.literal('conversation_initiation_client_data'),
  conversation_config_override: JsonObject.nullish(),
  custom_llm_extra_body: JsonObject.nullish(),
  dynamic_variables: JsonObject.nullish(),
  user_id: z.string().max(1_000).nullish(),
  environment: z.string().max(200).nullish(),
  source_info: z.looseObject({ source: z.string().nullish(), version: z.string().nullish() }).nullish(),
})
export type Initiation = z.infer<typeof Initiation>

const UserMessage = z.looseObject({ type: z.literal('user_message'), text: z.string().max(50_000).nullish() })

const TypedFrame = z.discriminatedUnion('type', [
  Initiation,
  UserMessage,
  z.looseObject({ type: z.literal('pong'), event_id: z.number() }),
  z.looseObject({ type: z.literal('user_activity') }),
  z.looseObject({
    type: z.literal('contextual_update'),
    text: z.string().max(50_000),
    context_id: z.string().max(200).nullish(),
  }),
  z.looseObject({
    type: z.literal('client_tool_result'),
    tool_call_id: z.string(),
    result: z.unknown(),
    is_error: z.boolean().default(false),
  }),
  z.looseObject({
    type: z.literal('feedback'),
    event_id: z.number(),
    score: z.enum(['like', 'dislike']).nullable(),
  }),
  z.looseObject({
    type: z.literal('mcp_tool_approval_result'),
    tool_call_id: z.string(),
    is_approved: z.boolean(),
  }),
  z.looseObject({
    type: z.literal('multimodal_message'),
    text: UserMessage.nullish(),
    file: z.unknown().optional(),
    files: z.array(z.unknown()).optional(),
  }),
])

const AudioFrame = z.looseObject({ user_audio_chunk: z.base64() })

/** Sound is the only frame without a type on the wire. */
export type ClientFrame =
  | z.infer<typeof TypedFrame>
  | { readonly type: 'user_audio_chunk'; readonly bytes: Uint8Array }

export type ParsedFrame =
  | { readonly kind: 'frame'; readonly frame: ClientFrame }
  | { readonly kind: 'bad'; readonly why: string }

export function parseClientFrame(text: string): ParsedFrame {
  const json = parsed(text)
  if (typeof json !== 'object' || json === null) return bad('A message must be a JSON object.')
  if ('user_audio_chunk' in json) {
    const audio = AudioFrame.safeParse(json)
    if (!audio.success) return bad('user_audio_chunk is not base64.')
    return {
      kind: 'frame',
      frame: { type: 'user_audio_chunk', bytes: Buffer.from(audio.data.user_audio_chunk, 'base64') },
    }
  }
  const typed = TypedFrame.safeParse(json)
  if (typed.success) return { kind: 'frame', frame: typed.data }
  const [issue] = typed.error.issues
  return bad(`${issue?.path.join('.') || 'type'}: ${issue?.message ?? 'not understood'}`)
}

const bad = (why: string): ParsedFrame => ({ kind: 'bad', why })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Handlers for the client's frames. */
interface FrameTaker {
  readonly hear: (bytes: Uint8Array) => void
  readonly say: (text: string) => void
  readonly active: () => void
  readonly inform: (text: string, id: string | undefined) => void
  readonly result: (callId: string, result: ClientResult) => void
  readonly feedback: (eventId: number, score: 'like' | 'dislike' | null) => void
  readonly refuse: (why: string) => void
}

export function takeFrame(frame: ClientFrame, taker: FrameTaker): void {
  switch (frame.type) {
    case 'user_audio_chunk':
      return taker.hear(frame.bytes)
    case 'user_message':
      return sayIn(frame, taker)
    case 'multimodal_message':
      if (frame.file || frame.files?.length) taker.refuse('Files are not supported: send their text.')
      return sayIn(frame.text, taker)
    case 'user_activity':
      return taker.active()
    case 'contextual_update':
      return taker.inform(frame.text, frame.context_id ?? undefined)
    case 'client_tool_result':
      return taker.result(frame.tool_call_id, { result: textOf(frame.result), isError: frame.is_error })
    case 'feedback':
      return taker.feedback(frame.event_id, frame.score)
    case 'conversation_initiation_client_data':
      return taker.refuse('The conversation has already started.')
    case 'pong':
    case 'mcp_tool_approval_result':
      return
    default:
      frame satisfies never
  }
}

function sayIn(
  message: { readonly text?: string | null | undefined } | null | undefined,
  { say }: FrameTaker,
): void {
  const text = message?.text?.trim()
  if (text) say(text)
}

const textOf = (result: unknown): string =>
  typeof result === 'string' ? result : JSON.stringify(result ?? '')
