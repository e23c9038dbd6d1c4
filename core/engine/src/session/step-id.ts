import type { StepId, TurnId } from '@parley/contracts'

/**
 * A step is named after its turn, the message it would become, and which attempt at it this is: so the step that a
 * dead process was at can be named by whoever finds it.
 */
export const stepIdOf = (turnId: TurnId, message: number, attempt: number): StepId =>
  `stp_${turnId.slice('trn_'.length)}x${message}x${attempt}` as StepId
