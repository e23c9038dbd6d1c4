import type { Style } from '../render/display.ts'
import { fitText, sanitise } from '../render/text.ts'
import { type CompleteText, type CompletionMenu, beginCompletion, chooseCandidate } from './completion.ts'
import {
  type LineEffect,
  type LineState,
  addEarlierMessages,
  createEmptyLine,
  editLine,
} from './line-state.ts'
import type { Key } from './raw-terminal.ts'
import type { Screen } from './screen.ts'

export interface EditorHost {
  readonly style: Style
  /** Messages sent before, oldest first. */
  readonly history: readonly string[]
  /** Messages of earlier sessions; loaded once the prompt is shown. */
  readonly earlier?: (() => Promise<readonly string[]>) | undefined
  readonly complete?: CompleteText | undefined
  /** The dim line below the input. */
  readonly status?: (() => string) | undefined
}

/** Actions outside the line. */
export type EditorAction =
  | { readonly kind: 'none' | 'leave' | 'suspend' | 'open-editor' }
  | { readonly kind: 'send'; readonly text: string }

/** The input line with its search, menu and status line. */
export function createLineEditor(screen: Screen, { style, history, earlier, complete, status }: EditorHost) {
  let state: EditorState = { line: createEmptyLine(history), mode: TYPING }
  let isActive = false
  let isDrawn = true
  let notice: string | undefined
  let loadEarlier = earlier

  const layOut = () => {
    const shown = state.mode.kind === 'searching' ? showMatch(state.mode.search) : state.line
    const rows = listRowsBelow(state, () => notice ?? status?.() ?? '', screen.height)
    const below = rows.map((row) => style.dim(fitText(row, screen.columns - 1)))
    return { text: shown.text, cursor: shown.cursor, below }
  }

  /** A paste or a held key brings many keys; draw once. */
  const drawSoon = (): EditorAction => {
    if (isDrawn) {
      isDrawn = false
      queueMicrotask(() => {
        if (!isDrawn && isActive) screen.draw(layOut())
        isDrawn = true
      })
    }
    return { kind: 'none' }
  }

  /** Newer input makes a completion outdated. */
  const completeLine = async () => {
    const { line } = state
    const completion = await complete?.(line.text, line.cursor)
    if (!completion || state.line !== line || !isActive) return
    const { line: completed, menu } = beginCompletion(line, completion)
    state = { line: completed, mode: menu ? { kind: 'choosing', menu } : state.mode }
    drawSoon()
  }

  const end = (text: string) => {
    state = { ...state, mode: TYPING }
    isDrawn = true
    isActive = false
    screen.finish(text)
  }

  return {
    press(key: Key): EditorAction {
      notice = undefined
      const { effect, ...next } = handleKey(state, key)
      state = next
      switch (effect.kind) {
        case 'none':
        case 'search':
          return drawSoon()
        case 'clear-screen':
          screen.clear()
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
    },
    get text() {
      return state.line.text
    },
    begin(draft: string | undefined) {
      isActive = true
      if (draft !== undefined) state = { ...state, line: setText(state.line, draft) }
      screen.draw(layOut())
      const load = loadEarlier
      loadEarlier = undefined
      // Other code reports an unreadable history.
      load?.().then(
        (messages) => (state = { ...state, line: addEarlierMessages(state.line, messages) }),
        () => undefined,
      )
    },
    replace(text: string, message?: string) {
      state = { ...state, line: setText(state.line, text) }
      notice = message
      drawSoon()
    },
    redrawAll() {
      if (isActive) screen.redrawAll(layOut())
    },
    drawSoon,
    end,
  }
}

interface EditorState {
  readonly line: LineState
  readonly mode: EditorMode
}

type EditorMode =
  | { readonly kind: 'typing' }
  | { readonly kind: 'searching'; readonly search: HistorySearch }
  | { readonly kind: 'choosing'; readonly menu: CompletionMenu }

const TYPING: EditorMode = { kind: 'typing' }

const NO_EFFECT: LineEffect = { kind: 'none' }

/** The effect of a key on the line, its search or its menu. */
function handleKey({ line, mode }: EditorState, key: Key): EditorState & { readonly effect: LineEffect } {
  if (mode.kind === 'searching') {
    const step = handleSearchKey(mode.search, key)
    if (step.kind === 'searching') return { line, mode: step, effect: NO_EFFECT }
    const found = { line: step.line, mode: TYPING }
    return step.key ? handleKey(found, step.key) : { ...found, effect: NO_EFFECT }
  }
  const chosen = mode.kind === 'choosing' ? chooseCandidate(mode.menu, key) : undefined
  if (chosen) {
    const { menu } = chosen
    return { line: chosen.line, mode: menu ? { kind: 'choosing', menu } : TYPING, effect: NO_EFFECT }
  }
  const step = editLine(line, key)
  const isSearch = step.effect.kind === 'search'
  return { ...step, mode: isSearch ? { kind: 'searching', search: openSearch(step.line) } : TYPING }
}

const setText = (line: LineState, text: string): LineState => ({ ...line, text, cursor: text.length })

function listRowsBelow(
  { line, mode }: EditorState,
  getStatus: () => string,
  height: number,
): readonly string[] {
  if (mode.kind === 'searching') {
    const { words, match } = mode.search
    return [`search: ${sanitise(words)}${words !== '' && match === -1 ? '  (no match)' : ''}`]
  }
  if (mode.kind === 'choosing') return listMenuRows(mode.menu, Math.min(MAX_LISTED, height - 2))
  if (line.leaving) return [LEAVE_HINT]
  const status = getStatus()
  return status === '' ? [] : [sanitise(status)]
}

const LEAVE_HINT = 'Press Ctrl-C again to quit.'
const MAX_LISTED = 8

/** The candidates around the chosen one. */
function listMenuRows(
  { completion: { candidates }, chosen }: CompletionMenu,
  most: number,
): readonly string[] {
  const first = Math.max(0, Math.min(chosen - most + 2, candidates.length - most))
  const listed = candidates.slice(first, first + most)
  const width = Math.max(...listed.map(({ text }) => text.length))
  const rows = listed.map(({ text, note }, index) => {
    const mark = first + index === chosen ? '› ' : '  '
    return sanitise(`${mark}${note === undefined ? text : `${text.padEnd(width)} ${note}`}`).trimEnd()
  })
  const more = candidates.length - first - listed.length
  return more > 0 ? [...rows, `  and ${more} more`] : rows
}

/** An incremental search backwards through sent messages. */
interface HistorySearch {
  readonly words: string
  /** The index of the match; -1 if none. */
  readonly match: number
  readonly before: LineState
}

type SearchStep =
  | { readonly kind: 'searching'; readonly search: HistorySearch }
  /** The search is over; the key that ended it may still apply. */
  | { readonly kind: 'over'; readonly line: LineState; readonly key?: Key }

const openSearch = (line: LineState): HistorySearch => ({ words: '', match: -1, before: line })

function handleSearchKey(search: HistorySearch, key: Key): SearchStep {
  const { words, match, before } = search
  const { history } = before
  if (key.name === 'text' || key.name === 'paste') {
    return continueSearch(search, words + key.text.replaceAll('\n', ' '), history.length - 1)
  }
  if (key.name === 'delete-back') return continueSearch(search, words.slice(0, -1), history.length - 1)
  if (key.name === 'search') {
    const next = findLastMatch(history, words, match - 1)
    return { kind: 'searching', search: next === -1 ? search : { ...search, match: next } }
  }
  if (CANCEL_KEYS.has(key.name)) return { kind: 'over', line: before }
  return { kind: 'over', line: showMatch(search), ...(key.name !== 'enter' && { key }) }
}

const CANCEL_KEYS: ReadonlySet<Key['name']> = new Set(['escape', 'interrupt', 'open-editor'])

function showMatch({ match, before }: HistorySearch): LineState {
  const text = before.history[match]
  return text === undefined
    ? before
    : { ...before, text, cursor: text.length, historyIndex: match, draft: before.text }
}

const continueSearch = (search: HistorySearch, words: string, from: number): SearchStep => ({
  kind: 'searching',
  search: { ...search, words, match: words === '' ? -1 : findLastMatch(search.before.history, words, from) },
})

function findLastMatch(history: readonly string[], words: string, from: number): number {
  const pattern = words.toLowerCase()
  for (let index = from; index >= 0; index -= 1) {
    if (history[index]?.toLowerCase().includes(pattern)) return index
  }
  return -1
}
