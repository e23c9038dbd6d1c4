/** What failed HTTP requests have in common, for the adapters that call vendors. */

/** The wait that a `Retry-After` header requests, in milliseconds. It holds seconds or a date. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : seconds * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** An error and its causes. Limited, because causes may form a circle. */
export function listCauses(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = []
  let cause = thrown
  while (cause !== undefined && causes.length < MAX_CAUSES) {
    causes.push(cause)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return causes
}

const MAX_CAUSES = 8

/** The first code among an error and its causes, such as `ECONNREFUSED`. */
export const findErrorCode = (thrown: unknown): string | undefined => listCauses(thrown).find(hasCode)?.code

const hasCode = (cause: unknown): cause is { readonly code: string } =>
  typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'
