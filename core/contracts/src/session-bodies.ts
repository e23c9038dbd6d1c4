import { z } from 'zod'
import { WrittenAgent } from './agent.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { CallId, SessionId } from './ids.ts'
import { ApprovalDecision, InputHash } from './session-event.ts'
import { SessionTitle } from './session-title.ts'
import { strictObject } from './strict-object.ts'

export const RenameSession = strictObject({ title: SessionTitle })
export type RenameSession = z.infer<typeof RenameSession>

export const ResumeSession = strictObject({
  /** Goes on with the last turn, if it came to no answer. */
  continue: z.boolean().default(false),
})
export type ResumeSession = z.input<typeof ResumeSession>

export const ForkSession = strictObject({ agent: WrittenAgent.optional(), agentId: kebabIdSchema.optional() })
export type ForkSession = z.infer<typeof ForkSession>

/** How many of the last messages a model is still given; the transcript keeps all. */
export const TrimSession = strictObject({ keep: z.int().min(0).max(1_000_000) })
export type TrimSession = z.infer<typeof TrimSession>

/** How many messages a model was given before, and is given from now on. */
export const ShortenedSession = z.object({
  messagesBefore: z.int().min(0),
  messagesAfter: z.int().min(0),
})
export type ShortenedSession = z.infer<typeof ShortenedSession>

/** Media that go along with a message, as base64. */
export const InlineMedia = strictObject({
  mediaType: z.string().regex(/^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100}$/, 'a media type, such as image/png'),
  data: z.base64().min(4),
  name: z.string().min(1).max(200).optional(),
})

export const MediaRef = z.object({
  sessionId: SessionId,
  /** The hash of the handle: `sha256-` and 64 hexadecimal digits. */
  hash: z.string().regex(/^sha256-[0-9a-f]{64}$/),
})

export const CallRef = z.object({ sessionId: SessionId, callId: CallId })

export const DecideApproval = strictObject({
  decision: ApprovalDecision,
  /** As the request had it: the answer counts only if it is still that call which waits. */
  inputHash: InputHash.optional(),
})
export type DecideApproval = z.infer<typeof DecideApproval>
