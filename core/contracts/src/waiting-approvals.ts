import { z } from 'zod'
import { CallId, SessionId } from './ids.ts'
import { InputHash, Preview } from './session-event.ts'
import { ToolGrant } from './tool-grant.ts'

/** A call that waits for a person, and where. */
export const WaitingApproval = z.object({
  sessionId: SessionId,
  title: z.string().optional(),
  agentSlug: z.string(),
  /** The name of the session's person, where that is not who asks. */
  ownerLabel: z.string().optional(),
  askedAt: z.iso.datetime(),
  callId: CallId,
  tool: z.string(),
  target: z.string(),
  preview: Preview.optional(),
  inputHash: InputHash.optional(),
  /** What `allow_session` would allow; where absent, each call is asked for. */
  grant: ToolGrant.optional(),
})
export type WaitingApproval = z.infer<typeof WaitingApproval>

/** Those that were asked first come first. */
export const WaitingApprovals = z.object({
  items: z.array(WaitingApproval),
  /** Set where there are more than are told at once. */
  more: z.literal(true).optional(),
})
export type WaitingApprovals = z.infer<typeof WaitingApprovals>
