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

/** What answered is something else than the API that was asked, such as a web page. */
export class ForeignAnswerError extends Error {
  override readonly name = 'ForeignAnswerError'
  constructor() {
    super('not an answer of this API')
  }
}

/** Where to look when something else answers. */
export const CHECK_BASE_URL = 'check base_url, which for most servers ends in /v1.'
