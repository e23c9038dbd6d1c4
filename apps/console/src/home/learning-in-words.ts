import type { Source } from '@parley/contracts'
import { sourceStanding } from '../reflections/sources/source-standing.ts'

/** How far a reflection has got with its sources. */
export interface Learning {
  readonly isOver: boolean
  /** Whether there is anything that it could speak of. */
  readonly isBegun: boolean
  readonly done: number
  readonly total: number
  readonly words: string
}

export function learningOf(sources: readonly Source[]): Learning {
  const total = sources.length
  const busy = sources.filter((source) => sourceStanding(source).kind === 'busy').length
  const facts = sources.reduce((sum, source) => sum + source.facts, 0)
  const done = total - busy
  const isBegun = sources.some(({ state }) => state === 'completed')
  return { isOver: busy === 0, isBegun, done, total, words: wordsOf({ done, total, busy, facts }) }
}

function wordsOf({ done, total, busy, facts }: { done: number; total: number; busy: number; facts: number }) {
  if (total === 0) return 'It has no sources yet, and nothing to speak of.'
  if (busy > 0) return `It is still reading: ${done} of ${total} sources.`
  return `It knows ${facts} ${facts === 1 ? 'fact' : 'facts'} from ${total} ${total === 1 ? 'source' : 'sources'}.`
}
