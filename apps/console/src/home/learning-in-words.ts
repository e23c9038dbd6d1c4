import type { ReflectionSummary } from '@parley/contracts'
import { factsIn } from '../reflections/overview/glance-of.ts'

/** How far a reflection has got with its sources. */
export interface Learning {
  readonly isOver: boolean
  readonly done: number
  readonly total: number
  readonly words: string
}

export function learningOf(summary: ReflectionSummary): Learning {
  const { learned, busy, wrong } = summary.sources
  const done = learned + wrong
  const total = done + busy
  return {
    isOver: busy === 0,
    done,
    total,
    words: wordsOf({ done, total, learned, facts: factsIn(summary) }),
  }
}

function wordsOf({
  done,
  total,
  learned,
  facts,
}: Readonly<Record<'done' | 'total' | 'learned' | 'facts', number>>) {
  if (total === 0) return 'It has no sources yet, and nothing to speak of.'
  if (done < total) return `It is still reading: ${done} of ${total} sources.`
  return `It knows ${facts} ${facts === 1 ? 'fact' : 'facts'} from ${learned} ${learned === 1 ? 'source' : 'sources'}.`
}
