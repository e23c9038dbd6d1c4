import type { Citation } from '@parley/contracts'

/** How long something took, as a person says it. */
export function durationInWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 60) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const minutes = Math.floor(seconds / 60)
  const rest = seconds % 60
  return `${minutes} min${rest > 0 ? ` ${rest} s` : ''}`
}

/** As a clock shows it: 1:05. */
export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The titles of the sources that were drawn from, each once, in the order of their use. */
export const sourcesIn = (citations: readonly Citation[]): readonly string[] => [
  ...new Set(citations.flatMap(({ evidence }) => evidence.map(({ source }) => source.title))),
]
