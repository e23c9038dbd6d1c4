import { z } from 'zod'
import { DurableContentPart } from './content-part.ts'
import { MessageId, SessionId, TurnId } from './ids.ts'

export const MessageRole = z.enum(['system', 'user', 'assistant', 'tool'])
export type MessageRole = z.infer<typeof MessageRole>

/** Says, for the model, which earlier messages a message replaces. */
export const HistoryMarker = z.discriminatedUnion('kind', [
  /** All up to this number: by a summary, or by nothing. */
  z.object({ kind: z.enum(['compacted', 'trimmed']), uptoSequence: z.int().min(0) }),
  /** One turn without an answer that the session was forked after: by a note. */
  z.object({ kind: z.literal('rolled_back') }),
])

/** One entry of a transcript. Appended once, never edited, never removed. */
export const SessionMessageSchema = z.object({
  id: MessageId,
  sessionId: SessionId,
  sequenceNumber: z.int().positive(),
  role: MessageRole,
  content: z.array(DurableContentPart),
  /** The turn that brought it about; what was said in a call has none. */
  turnId: TurnId.optional(),
  modelId: z.string().optional(),
  /**
   * Set where the answer ends before its end. A step that was cancelled while it might still have called a tool is
   * `unfinished`: its text is no answer.
   */
  cutShort: z.enum(['cancelled', 'unfinished', 'failed']).optional(),
  marker: HistoryMarker.optional(),
  timestamp: z.iso.datetime(),
})
export type SessionMessage = z.infer<typeof SessionMessageSchema>
