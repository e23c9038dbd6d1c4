import type { Style } from '../render/display.ts'
import { fitText, neutralise } from '../render/text.ts'
import { type Complete, type Menu, beginCompletion, chooseCandidate } from './completion.ts'
import { type LineState, editLine, emptyLine, withEarlier } from './line-state.ts'
import type { Key, KeyName } from './raw-terminal.ts'
import type { Screen } from './screen.ts'

export interface EditorHost {
  readonly style: Style
  /** Messages sent before, oldest first. */
  readonly history: readonly string[]
  /** Messages of earlier sessions; loaded once the prompt is shown. */
  readonly earlier?: (() => Promise<readonly string[]>) | undefined
  readonly complete?: Complete | undefined
  /** The dim line below the input. */
  readonly status?: (() => string) | undefined
}

/** Actions outside the line. */
export type Outcome =
  | { readonly kind: 'none' | 'leave' | 'suspend' | 'open-editor' }
  | { readonly kind: 'send'; readonly text: string }

/** The input line with its search, menu and status line. */
export function createLineEditor(screen: Screen, { style, history, earlier, complete, status }: EditorHost) {
  let line: LineState = emptyLine(history)
  let mode: Mode = { kind: 'typing' }
  let isDrawn = true
  let isActive = false
  let notice: string | undefined
  let load = earlier

  const press = (key: Key): Outcome => {
    notice = undefined
    if (mode.kind === 'searching') {
      const step = searchStep(mode.search, key)
      if (step.kind === 'searching') {
        mode = step
        return drawSoon()
      }
      line = step.line
      mode = { kind: 'typing' }
      return step.key ? press(step.key) : drawSoon()
    }
    if (mode.kind === 'choosing') {
      const completed = chooseCandidate(mode.menu, key)
      mode = completed?.menu ? { kind: 'choosing', menu: completed.menu } : { kind: 'typing' }
      if (completed) {
        line = completed.line
        return drawSoon()
      }
    }
    return edit(key)
  }

  const edit = (key: Key): Outcome => {
    const step = editLine(line, key)
    line = step.line
    const { effect } = step
    switch (effect.kind) {
      case 'none':
        return drawSoon()
      case 'clear-screen':
        screen.clear()
        return drawSoon()
      case 'search':
        mode = { kind: 'searching', search: openSearch(line) }
        return drawSoon()
      case 'complete':
        void completeLine()
        return { kind: 'none' }
      case 'send':
        end(effect.text)
        return effect
      case 'leave':
        end('')
        return { kind: 'leave' }
      case 'suspend':
      case 'open-editor':
        return { kind: effect.kind }
      default:
        return effect satisfies never
    }
  }

  /** Newer input makes a completion outdated. */
  const completeLine = async () => {
    const before = line
    const completion = await complete?.(before.text, before.cursor)
    if (!completion || line !== before || !isActive) return
    const completed = beginCompletion(line, completion)
    line = completed.line
    if (completed.menu) mode = { kind: 'choosing', menu: completed.menu }
    drawSoon()
  }

  const createDrawing = () => {
    const shown = mode.kind === 'searching' ? showMatch(mode.search) : line
    const below = listRowsBelow().map((row) => fitText(row, screen.columns - 1))
    return { text: shown.text, cursor: shown.cursor, below: below.map((row) => style.dim(row)) }
  }

  const listRowsBelow = (): readonly string[] => {
    if (mode.kind === 'searching') {
      const { words, match } = mode.search
      return [`search: ${neutralise(words)}${words !== '' && match === -1 ? '  (no match)' : ''}`]
    }
    if (mode.kind === 'choosing') return menuRows(mode.menu, Math.min(MAX_LISTED, screen.height - 2))
    if (line.leaving) return [LEAVE_HINT]
    const quiet = notice ?? status?.() ?? ''
    return quiet === '' ? [] : [neutralise(quiet)]
  }

  /** A paste or a held key brings many keys; draw once. */
  const drawSoon = (): Outcome => {
    if (isDrawn) {
      isDrawn = false
      queueMicrotask(() => {
        if (!isDrawn && isActive) screen.draw(createDrawing())
        isDrawn = true
      })
    }
    return { kind: 'none' }
  }

  const end = (text: string) => {
    mode = { kind: 'typing' }
    isDrawn = true
    isActive = false
    screen.finish(text)
  }

  return {
    press,
    get text() {
      return line.text
    },
    begin(draft: string | undefined) {
      isActive = true
      if (draft !== undefined) line = { ...line, text: draft, cursor: draft.length }
      screen.draw(createDrawing())
      const loadEarlier = load
      load = undefined
      // Other code reports an unreadable history.
      loadEarlier?.().then(
        (sent) => (line = withEarlier(line, sent)),
        () => undefined,
      )
    },
    replace(text: string, message?: string) {
      line = { ...line, text, cursor: text.length }
      notice = message
      drawSoon()
    },
    redrawAll() {
      if (isActive) screen.redrawAll(createDrawing())
    },
    drawSoon,
    end,
  }
}

type Mode =
  | { readonly kind: 'typing' }
  | { readonly kind: 'searching'; readonly search: Search }
  | { readonly kind: 'choosing'; readonly menu: Menu }

const LEAVE_HINT = 'Press Ctrl-C again to quit.'
const MAX_LISTED = 8

/** The candidates around the chosen one. */
function menuRows({ completion: { candidates }, chosen }: Menu, most: number): readonly string[] {
  const first = Math.max(0, Math.min(chosen - most + 2, candidates.length - most))
  const listed = candidates.slice(first, first + most)
  const width = Math.max(...listed.map(({ text }) => text.length))
  const rows = listed.map(({ text, note }, index) => {
    const mark = first + index === chosen ? '› ' : '  '
    return neutralise(`${mark}${note === undefined ? text : `${text.padEnd(width)} ${note}`}`).trimEnd()
  })
  const more = candidates.length - first - listed.length
  return more > 0 ? [...rows, `  and ${more} more`] : rows
}

/** An incremental search backwards through sent messages. */
interface Search {
  readonly words: string
  /** The index of the match; -1 if none. */
  readonly match: number
  readonly before: LineState
}

type SearchStep =
  | { readonly kind: 'searching'; readonly search: Search }
  /** The search is over; the key that ended it may still apply. */
  | { readonly kind: 'over'; readonly line: LineState; readonly key?: Key }

const openSearch = (line: LineState): Search => ({ words: '', match: -1, before: line })

function searchStep(search: Search, key: Key): SearchStep {
  const { words, match, before } = search
  const { history } = before
  if (key.name === 'text' || key.name === 'paste') {
    return continueSearch(search, words + key.text.replaceAll('\n', ' '), history.length - 1)
  }
  if (key.name === 'delete-back') return continueSearch(search, words.slice(0, -1), history.length - 1)
  if (key.name === 'search') {
    const next = findLast(history, words, match - 1)
    return { kind: 'searching', search: next === -1 ? search : { ...search, match: next } }
  }
  if (CANCEL_KEYS.has(key.name)) return { kind: 'over', line: before }
  return { kind: 'over', line: showMatch(search), ...(key.name !== 'enter' && { key }) }
}

const CANCEL_KEYS: ReadonlySet<KeyName> = new Set(['escape', 'interrupt', 'open-editor'])

/** The line with the match. */
function showMatch({ match, before }: Search): LineState {
  const text = before.history[match]
  return text === undefined
    ? before
    : { ...before, text, cursor: text.length, place: match, draft: before.text }
}

const continueSearch = (search: Search, words: string, from: number): SearchStep => ({
  kind: 'searching',
  search: { ...search, words, match: words === '' ? -1 : findLast(search.before.history, words, from) },
})

function findLast(history: readonly string[], words: string, from: number): number {
  const pattern = words.toLowerCase()
  for (let place = from; place >= 0; place -= 1) {
    if (history[place]?.toLowerCase().includes(pattern)) return place
  }
  return -1
}
