import type { TranscriptTurn } from '@parley/api-client'
import { unfenced } from '@parley/contracts'
import { isLookUp } from './match-citations.ts'

/** The titles of the sources that look-ups of a turn told of: all that there is to see where nothing is kept. */
export function toldSources({ parts }: Pick<TranscriptTurn, 'parts'>): readonly string[] {
  const titles = parts.filter(isLookUp).flatMap(({ outcome }) => {
    const found = outcome?.kind === 'ok' ? evidenceIn(unfenced(outcome.text)) : []
    return found.flatMap((item) => (isTitled(item) ? [item.source] : []))
  })
  return [...new Set(titles)]
}

function evidenceIn(text: string): readonly unknown[] {
  try {
    const told: unknown = JSON.parse(text)
    const isTold = typeof told === 'object' && told !== null && 'evidence' in told
    return isTold && Array.isArray(told.evidence) ? told.evidence : []
  } catch {
    return []
  }
}

const isTitled = (item: unknown): item is { readonly source: string } =>
  typeof item === 'object' && item !== null && 'source' in item && typeof item.source === 'string'
