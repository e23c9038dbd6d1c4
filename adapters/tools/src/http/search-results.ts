import type { WebSearchConfig } from '@parley/contracts'
import { htmlText } from './html-text.ts'

/** What a search service has found, each as title, address and excerpt; undefined where it is no such answer. */
export function searchResults(kind: WebSearchConfig['kind'], answer: string): readonly string[] | undefined {
  const parsed = jsonOf(answer)
  const found = kind === 'searxng' ? fieldOf(parsed, 'results') : fieldOf(fieldOf(parsed, 'web'), 'results')
  // Where it finds nothing, Brave leaves out the whole part.
  if (found === undefined && kind === 'brave' && fieldOf(parsed, 'type') === 'search') return []
  if (!Array.isArray(found)) return undefined
  const excerpt = kind === 'searxng' ? 'content' : 'description'
  return found
    .map((result: unknown) =>
      [textOf(result, 'title'), fieldOf(result, 'url'), textOf(result, excerpt)].filter(isSaid).join('\n'),
    )
    .filter(isSaid)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** Services mark the words that were found, as HTML does. */
const textOf = (value: unknown, name: string): string => {
  const text = fieldOf(value, name)
  return typeof text === 'string' ? htmlText(text).replaceAll('\n', ' ') : ''
}

const isSaid = (value: unknown): value is string => typeof value === 'string' && value !== ''
