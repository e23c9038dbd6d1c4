import { z } from 'zod'
import { CallId, TurnId } from './ids.ts'
import { DecidedBy, StopReason, Usage, Verdict } from './session-event.ts'

/** What became of one call. */
export const CallSummary = z.object({
  callId: CallId,
  askedAt: z.iso.datetime(),
  verdict: Verdict.optional(),
  by: DecidedBy.optional(),
  reason: z.string().optional(),
  /** From here on it ran, where it was allowed. */
  decidedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
})
export type CallSummary = z.infer<typeof CallSummary>

/** What is known of a turn besides its messages: when, how long, how much. */
export const TurnSummary = z.object({
  turnId: TurnId,
  /** The number of the message that it answers; a turn that was gone on with has the same as the one before. */
  question: z.int().positive(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  stopReason: StopReason.optional(),
  /** Which one answered last. */
  model: z.string().optional(),
  usage: Usage.optional(),
  /** What the session had cost by its end, in micro-cents; absent where nothing was added that has a price. */
  totalMicrocents: z.int().min(0).optional(),
  calls: z.array(CallSummary),
})
export type TurnSummary = z.infer<typeof TurnSummary>

export const TurnPage = z.object({
  items: z.array(TurnSummary),
  /** Give it as `after` to read on, now or when there is more; it is the number of an event. */
  nextAfter: z.int().min(0),
  /** Set where there is more to read now. */
  more: z.literal(true).optional(),
})
export type TurnPage = z.infer<typeof TurnPage>
