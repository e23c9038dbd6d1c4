import type { TurnError } from '@parley/contracts'

/** Why an attempt came to nothing, and what may be done about it. */
export interface Failure {
  readonly error: TurnError
  /** How long the provider asks to be left alone. */
  readonly retryAfterMs?: number
}

export const unavailable = (message: string, retryable = true): Failure => ({
  error: { code: 'provider_unavailable', message, retryable },
})
