import type { Key, KeyName } from './key.ts'
import type { LineState } from './line-state.ts'

/** A search backwards through what was sent, while its words are typed. */
export interface Search {
  readonly words: string
  /** Which entry of the history is found; -1 where none is. */
  readonly found: number
  /** The line as it stood before. */
  readonly before: LineState
}

type SearchStep =
  | { readonly kind: 'searching'; readonly search: Search }
  /** The search is over; the key that ended it may have more to say. */
  | { readonly kind: 'over'; readonly line: LineState; readonly key?: Key }

export const openSearch = (line: LineState): Search => ({ words: '', found: -1, before: line })

export function searchStep(search: Search, key: Key): SearchStep {
  const { words, found, before } = search
  const { history } = before
  if (key.name === 'text' || key.name === 'paste') {
    return searching(search, words + key.text.replaceAll('\n', ' '), history.length - 1)
  }
  if (key.name === 'delete-back') return searching(search, words.slice(0, -1), history.length - 1)
  if (key.name === 'search') {
    const further = lastWith(history, words, found - 1)
    return { kind: 'searching', search: further === -1 ? search : { ...search, found: further } }
  }
  if (GIVES_UP.has(key.name)) return { kind: 'over', line: before }
  return { kind: 'over', line: foundLine(search), ...(key.name !== 'enter' && { key }) }
}

const GIVES_UP: ReadonlySet<KeyName> = new Set(['escape', 'interrupt', 'open-editor'])

/** The line with what was found in it. */
export function foundLine({ found, before }: Search): LineState {
  const text = before.history[found]
  return text === undefined
    ? before
    : { ...before, text, cursor: text.length, place: found, draft: before.text }
}

const searching = (search: Search, words: string, from: number): SearchStep => ({
  kind: 'searching',
  search: { ...search, words, found: words === '' ? -1 : lastWith(search.before.history, words, from) },
})

function lastWith(history: readonly string[], words: string, from: number): number {
  const wanted = words.toLowerCase()
  for (let place = from; place >= 0; place -= 1) {
    if (history[place]?.toLowerCase().includes(wanted)) return place
  }
  return -1
}
