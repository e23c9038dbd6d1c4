import type { Citation } from '@parley/contracts'
import { drawnFrom, type Found } from './citations/drawn-from.ts'

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

/** An answer, and all that was found for it. */
export interface Answered {
  readonly answer: string
  readonly found: readonly Found[]
}

/** The titles of the sources that answers were drawn from, each once, in the order of their use. */
export const sourcesIn = (answered: readonly Answered[], name: string): readonly string[] => [
  ...new Set(
    answered.flatMap(({ answer, found }) =>
      drawnFrom(answer, found, name).used.map(({ source }) => source.title),
    ),
  ),
]

export const foundIn = (citations: readonly Citation[] = []): readonly Found[] =>
  citations.flatMap(({ evidence }) => evidence)
