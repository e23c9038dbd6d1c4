import { z } from 'zod'
import { DurableContentPart } from './content-part.ts'
import { MessageId, SessionId, TurnId } from './ids.ts'

export const MessageRole = z.enum(['system', 'user', 'assistant', 'tool'])
export type MessageRole = z.infer<typeof MessageRole>

/** One entry of a transcript. Appended once, never edited, never removed. */
export const SessionMessage = z.object({
  id: MessageId,
  sessionId: SessionId,
  sequenceNumber: z.int().positive(),
  role: MessageRole,
  content: z.array(DurableContentPart),
  /** The turn that brought it about; what was said in a call has none. */
  turnId: TurnId.optional(),
  modelId: z.string().optional(),
  /** Set where the answer ends before its end. */
  cutShort: z.enum(['cancelled', 'failed']).optional(),
  /** Set on a message that stands, for the model, in place of all up to this number: a summary, or nothing. */
  marker: z.object({ kind: z.enum(['compacted', 'trimmed']), uptoSequence: z.int().min(0) }).optional(),
  timestamp: z.iso.datetime(),
})
export type SessionMessage = z.infer<typeof SessionMessage>
