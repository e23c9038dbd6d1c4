import type { TranscriptTurn } from '@parley/api-client'
import { unfenced } from '@parley/contracts'
import type { Found } from './drawn-from.ts'
import { isLookUp } from './match-citations.ts'

/** What look-ups of a turn told of: all that there is to see where nothing is kept. */
export const toldEvidence = ({ parts }: Pick<TranscriptTurn, 'parts'>): readonly Found[] =>
  parts.filter(isLookUp).flatMap(({ outcome }) => {
    const found = outcome?.kind === 'ok' ? evidenceIn(unfenced(outcome.text)) : []
    return found.flatMap((item) =>
      isTold(item) ? [{ text: item.text, source: { title: item.source } }] : [],
    )
  })

function evidenceIn(text: string): readonly unknown[] {
  try {
    const told: unknown = JSON.parse(text)
    const isWhole = typeof told === 'object' && told !== null && 'evidence' in told
    return isWhole && Array.isArray(told.evidence) ? told.evidence : []
  } catch {
    return []
  }
}

const isTold = (item: unknown): item is { readonly text: string; readonly source: string } =>
  typeof item === 'object' &&
  item !== null &&
  'source' in item &&
  typeof item.source === 'string' &&
  'text' in item &&
  typeof item.text === 'string'
