import { z } from 'zod'
import { CallId, MessageId, SessionId, TurnId } from './ids.ts'
import { Json } from './json.ts'

export const ToolCall = z.object({ id: CallId, name: z.string().min(1), input: Json })
export type ToolCall = z.infer<typeof ToolCall>

/** Identifies stored bytes by their hash: media://sha256-<64 hex digits>. */
export const MediaHandle = z.string().regex(/^media:\/\/sha256-[0-9a-f]{64}$/)
export type MediaHandle = z.infer<typeof MediaHandle>

const HANDLE_PREFIX = 'media://sha256-'

/** Both use the hash in hexadecimal digits. */
export const createMediaHandle = (sha256: string): MediaHandle => `${HANDLE_PREFIX}${sha256}`
export const readMediaHash = (handle: MediaHandle): string => handle.slice(HANDLE_PREFIX.length)

/** The complete text of a long result, if `text` omits its middle. */
const whole = MediaHandle.optional()

export const ToolOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok'), text: z.string(), whole }),
  z.object({ kind: z.literal('failed'), code: z.string(), text: z.string(), whole }),
])
export type ToolOutcome = z.infer<typeof ToolOutcome>

/** A part of a stored message: media by handle, reasoning without its signature. */
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

export const MessageRole = z.enum(['system', 'user', 'assistant', 'tool'])
export type MessageRole = z.infer<typeof MessageRole>

/** The earlier messages that this message replaces, for the model. */
export const MessageMarker = z.discriminatedUnion('kind', [
  /** All up to this number; trimmed messages may have no summary. */
  z.object({ kind: z.enum(['compacted', 'trimmed']), uptoSequence: z.int().min(0) }),
  /** One turn without an answer, from before a fork; replaced by a note. */
  z.object({ kind: z.literal('rolled_back') }),
])

/** One entry of a transcript. Append-only: never edited or removed. */
export const SessionMessageSchema = z.object({
  id: MessageId,
  sessionId: SessionId,
  sequenceNumber: z.int().positive(),
  role: MessageRole,
  content: z.array(DurableContentPart),
  /** The turn that produced it; absent for messages of a call. */
  turnId: TurnId.optional(),
  modelId: z.string().optional(),
  /** Set if the answer is incomplete. `unfinished`: cancelled before a possible tool call, so it does not count as an answer. */
  cutShort: z.enum(['cancelled', 'unfinished', 'failed']).optional(),
  marker: MessageMarker.optional(),
  timestamp: z.iso.datetime(),
})
export type SessionMessage = z.infer<typeof SessionMessageSchema>
