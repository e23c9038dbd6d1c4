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
