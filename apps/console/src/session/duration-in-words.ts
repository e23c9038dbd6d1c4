const SECOND = 1_000
const MINUTE = 60 * SECOND

/** How long something took, to what a person can tell apart. */
export function durationInWords(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  const minutes = Math.floor(ms / MINUTE)
  const seconds = Math.round((ms % MINUTE) / SECOND)
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`
}
