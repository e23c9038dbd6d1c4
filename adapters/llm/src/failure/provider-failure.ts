import type { TurnError } from '@parley/contracts'

/** Why an attempt failed. */
export interface ProviderFailure {
  readonly error: TurnError
  /** The wait that the provider requests. */
  readonly retryAfterMs?: number
}

export const createUnavailableFailure = (message: string, retryable = true): ProviderFailure => ({
  error: { code: 'provider_unavailable', message, retryable },
})

/** The response is not from the expected API: a web page, for example. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError'
  constructor() {
    super('not a response of this API')
  }
}

/** A redirect would send the key and the conversation to another host. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError'
  readonly host: string
  constructor(host: string) {
    super('redirected')
    this.host = host
  }
}

/** The hint for a response that is not from the expected API. */
export const CHECK_BASE_URL = 'check base_url, which for most servers ends in /v1.'
