/** Milliseconds that a provider asks to be left alone: by seconds, by date, or by Google's detail. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  body: string | undefined,
  now: number,
): number | undefined {
  const precise = Number.parseFloat(headers?.['retry-after-ms'] ?? '')
  if (precise >= 0) return precise
  const written = headers?.['retry-after']
  if (written === undefined) return fromGoogle(body)
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(written)) return Number.parseFloat(written) * 1_000
  const date = Date.parse(written)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function fromGoogle(body: string | undefined): number | undefined {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body ?? '') ?? []
  return seconds === undefined ? undefined : Number.parseFloat(seconds) * 1_000
}

/** Shorter waits pass while a person reads of them. */
const WORTH_TELLING_MS = 30_000
/** Nobody means more than this. */
const LONGEST_MS = 366 * 86_400_000

/** A sentence on when to ask again, after a space; nothing where that is soon. By the clock, since it may be told later. */
export function comeBack(waitMs: number | undefined, now: number): string {
  if (waitMs === undefined || waitMs <= WORTH_TELLING_MS || waitMs > LONGEST_MS) return ''
  const [day, time = ''] = new Date(now + waitMs + 999).toISOString().split('T')
  return ` Ask again after ${day} ${time.slice(0, 8)} UTC.`
}
