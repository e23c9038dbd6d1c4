import type { TurnError } from '@parley/contracts'

/** Why an attempt failed. */
export interface Failure {
  readonly error: TurnError
  /** The wait that the provider requests. */
  readonly retryAfterMs?: number
}

export const unavailable = (message: string, retryable = true): Failure => ({
  error: { code: 'provider_unavailable', message, retryable },
})

/** The response is not from the expected API: a web page, for example. */
export class ForeignAnswerError extends Error {
  override readonly name = 'ForeignAnswerError'
  constructor() {
    super('not a response of this API')
  }
}

/** The hint for a response that is not from the expected API. */
export const CHECK_BASE_URL = 'check base_url, which for most servers ends in /v1.'
