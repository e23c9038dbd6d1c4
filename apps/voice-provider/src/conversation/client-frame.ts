import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { ClientResult } from '../agent-tools/client-tool.ts'
import { parseJson } from '../json.ts'

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
  | { readonly kind: 'invalid'; readonly reason: string }

export function parseClientFrame(text: string): ParsedFrame {
  const json = parseJson(text)
  if (typeof json !== 'object' || json === null) return invalidFrame('A message must be a JSON object.')
  if ('user_audio_chunk' in json) {
    const audio = AudioFrame.safeParse(json)
    if (!audio.success) return invalidFrame('user_audio_chunk is not base64.')
    return {
      kind: 'frame',
      frame: { type: 'user_audio_chunk', bytes: Buffer.from(audio.data.user_audio_chunk, 'base64') },
    }
  }
  const typed = TypedFrame.safeParse(json)
  if (typed.success) return { kind: 'frame', frame: typed.data }
  const [issue] = typed.error.issues
  return invalidFrame(`${issue?.path.join('.') || 'type'}: ${issue?.message ?? 'not understood'}`)
}

const invalidFrame = (reason: string): ParsedFrame => ({ kind: 'invalid', reason })

/** Handlers for the client's frames. */
interface FrameHandlers {
  readonly hear: (bytes: Uint8Array) => void
  readonly say: (text: string) => void
  readonly active: () => void
  readonly inform: (text: string, id: string | undefined) => void
  readonly result: (callId: string, result: ClientResult) => void
  readonly feedback: (eventId: number, score: 'like' | 'dislike' | null) => void
  readonly refuse: (reason: string) => void
}

export function handleFrame(frame: ClientFrame, handlers: FrameHandlers): void {
  switch (frame.type) {
    case 'user_audio_chunk':
      return handlers.hear(frame.bytes)
    case 'user_message':
      return sayText(frame, handlers)
    case 'multimodal_message':
      if (frame.file || frame.files?.length) handlers.refuse('Files are not supported: send their text.')
      return sayText(frame.text, handlers)
    case 'user_activity':
      return handlers.active()
    case 'contextual_update':
      return handlers.inform(frame.text, frame.context_id ?? undefined)
    case 'client_tool_result':
      return handlers.result(frame.tool_call_id, {
        result: toResultText(frame.result),
        isError: frame.is_error,
      })
    case 'feedback':
      return handlers.feedback(frame.event_id, frame.score)
    case 'conversation_initiation_client_data':
      return handlers.refuse('The conversation has already started.')
    case 'pong':
    case 'mcp_tool_approval_result':
      return
    default:
      frame satisfies never
  }
}

function sayText(
  message: { readonly text?: string | null | undefined } | null | undefined,
  { say }: FrameHandlers,
): void {
  const text = message?.text?.trim()
  if (text) say(text)
}

const toResultText = (result: unknown): string =>
  typeof result === 'string' ? result : JSON.stringify(result ?? '')
