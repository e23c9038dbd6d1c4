import { z } from 'zod'
import { CallId } from './ids.ts'
import { Json } from './json.ts'

export const ToolCall = z.object({ id: CallId, name: z.string().min(1), input: Json })
export type ToolCall = z.infer<typeof ToolCall>

/** Names stored bytes by their hash: media://sha256-<64 hex digits>. */
export const MediaHandle = z.string().regex(/^media:\/\/sha256-[0-9a-f]{64}$/)
export type MediaHandle = z.infer<typeof MediaHandle>

/** Set where `text` leaves out the middle of a long result: the whole of it, as text. */
const whole = MediaHandle.optional()

export const ToolOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok'), text: z.string(), whole }),
  z.object({ kind: z.literal('failed'), code: z.string(), text: z.string(), whole }),
])
export type ToolOutcome = z.infer<typeof ToolOutcome>

/** What a stored message consists of: media by handle, reasoning without its signature. */
export const DurableContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('tool_call'), call: ToolCall }),
  z.object({ type: z.literal('tool_result'), callId: CallId, outcome: ToolOutcome }),
  z.object({
    type: z.literal('media'),
    handle: MediaHandle,
    mediaType: z.string(),
    name: z.string().optional(),
  }),
])
export type DurableContentPart = z.infer<typeof DurableContentPart>
