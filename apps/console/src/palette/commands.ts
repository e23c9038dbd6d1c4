import type { Fact, Me, Reflection, SessionView, Source, ListedSession } from '@parley/contracts'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type PageLink, filterPages, listPages } from '../app/page-record.ts'
import { getSessionTitle } from '../session/text-labels.ts'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { MAX_SEARCH_LENGTH, useDebounced } from '../ui/use-debounced.ts'
import { useConsoleHost } from '../app/console-host.ts'
import { getReflectionKey, useReflections } from '../reflections/use-reflections.ts'
import { useSessions } from '../shell/use-sessions.ts'

const MAX_RECENT = 8
const NO_REFLECTIONS: readonly Reflection[] = []
const NO_SESSIONS: readonly ListedSession[] = []

/** Matching commands: local ones at once, then search results from the server. */
export function useCommands(query: string): {
  readonly groups: readonly CommandGroup[]
  readonly isSearching: boolean
} {
  const { me } = useConsoleHost()
  const router = useRouter()
  const search = useDebounced(query.trim())
  const { items: reflections = NO_REFLECTIONS } = useReflections()
  const { items: sessions = NO_SESSIONS, isPrevious } = useSessions(search ? { search } : {})
  const { matches, isLoading } = useReflectionMatches(search, reflections)
  const isSettled = search === query.trim()
  const isAnswered = isSettled && !isPrevious
  const groups = useMemo(() => {
    const candidates = listCommands({
      pages: listPages(router),
      me,
      reflections,
      sessions: query.trim() === '' ? sessions.slice(0, MAX_RECENT) : sessions,
      matches: query.trim() === '' ? [] : matches,
    })
    const ranked = rankCommands(query, candidates)
    // A session found by its messages need not have the words in its title.
    const foundByMessages =
      isAnswered && search !== ''
        ? candidates.filter((command) => command.kind === 'Session' && !ranked.includes(command))
        : []
    return groupCommands([...ranked, ...foundByMessages])
  }, [router, me, reflections, sessions, matches, query, search, isAnswered])
  return { groups, isSearching: !isAnswered || isLoading }
}

interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

const TITLES: Record<Command['kind'], string> = {
  Page: 'Pages and actions',
  Action: 'Pages and actions',
  Reflection: 'Pages and actions',
  Source: 'Sources',
  Fact: 'Facts',
  Session: 'Sessions',
}

const MAX_GROUP_SIZE = 40

/** Commands grouped by kind. The group with the best match comes first; each group keeps the ranking. */
export const groupCommands = (ranked: readonly Command[]): readonly CommandGroup[] =>
  [...Map.groupBy(ranked, ({ kind }) => TITLES[kind])].map(([title, commands]) => ({
    title,
    commands: commands.slice(0, MAX_GROUP_SIZE),
  }))

/** Shorter queries match nearly every sentence. */
const MIN_LENGTH = 3
/** Searches this many reflections, the latest first. */
const MAX_REFLECTIONS = 5
const MAX_SOURCES = 200
const MAX_FACTS = 8
const STALE_MS = 60_000

/** Sources of the latest reflections, and their facts that match the search. */
function useReflectionMatches(
  search: string,
  reflections: readonly Reflection[],
): { readonly matches: readonly ReflectionMatches[]; readonly isLoading: boolean } {
  const { client } = useConsoleHost()
  const searched = search.length < MIN_LENGTH ? NO_REFLECTIONS : reflections.slice(0, MAX_REFLECTIONS)
  return useQueries({
    queries: searched.map((reflection) => ({
      queryKey: [...getReflectionKey(reflection.id), 'found', search],
      queryFn: async (): Promise<ReflectionMatches> => {
        const reflectionId = reflection.id
        const [sources, facts] = await Promise.all([
          client.reflections.sources({ reflectionId, limit: MAX_SOURCES }),
          client.reflections.facts({ reflectionId, state: 'active', search, limit: MAX_FACTS }),
        ])
        return { reflection, sources: sources.items, facts: facts.items }
      },
      placeholderData: keepPreviousData<ReflectionMatches>,
      staleTime: STALE_MS,
      retry: false,
    })),
    combine: useCallback(
      (results: readonly MatchesQuery[]) => ({
        matches: results.flatMap(({ data }) => data ?? []),
        isLoading: results.some(({ isFetching }) => isFetching),
      }),
      [],
    ),
  })
}

interface MatchesQuery {
  readonly data: ReflectionMatches | undefined
  readonly isFetching: boolean
}

/** The commands that match every word of the query, best first; all commands for an empty query. */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const words = normalizeText(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  return commands
    .map((command, place) => ({ command, place, score: scoreCommand(words, command) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.place - other.place)
    .map(({ command }) => command)
}

/** Zero if any word does not match. */
function scoreCommand(words: readonly string[], { kind, label, words: more = '' }: Command): number {
  const match = USER_TEXT_KINDS.has(kind) ? matchUserText : matchName
  const name = normalizeText(label)
  const whole = words.join(' ')
  let score = name === whole ? EXACT : name.startsWith(whole) ? STARTS : 0
  for (const word of words) {
    const fit = Math.max(match(word, name), Math.min(match(word, normalizeText(more)), WITHIN_A_WORD))
    if (fit === 0) return 0
    score += fit
  }
  // Of two equal matches the shorter label wins.
  return score - Math.min(name.length, 100) / 1_000
}

/** Long user text contains the letters of almost any word, so it needs a stricter match. */
const USER_TEXT_KINDS: ReadonlySet<Command['kind']> = new Set(['Session', 'Source', 'Fact'])

const EXACT = 200
const STARTS = 100
const WHOLE_WORD = 80
const WORD_STARTS = 60
const WITHIN_A_WORD = 40
const INITIALS = 30
const SCATTERED = 10

function matchUserText(word: string, text: string): number {
  const parts = splitWords(text)
  if (parts.includes(word)) return WHOLE_WORD
  if (parts.some((part) => part.startsWith(word))) return WORD_STARTS
  return word.length > 2 && text.includes(word) ? WITHIN_A_WORD : 0
}

/** Page and action names also match by initials and by letters of one word. */
function matchName(word: string, text: string): number {
  const fit = matchUserText(word, text)
  if (fit > 0) return fit
  const parts = splitWords(text)
  const initials = parts.map((part) => part[0] ?? '').join('')
  if (initials.startsWith(word)) return INITIALS
  return word.length > 3 && parts.some((part) => hasLettersInOrder(word, part)) ? SCATTERED : 0
}

const splitWords = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** Whether the text contains all letters in order, close to each other. */
function hasLettersInOrder(word: string, text: string): boolean {
  let at = -1
  let gaps = 0
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1)
    if (next === -1) return false
    if (at !== -1) gaps += next - at - 1
    at = next
  }
  return gaps <= word.length
}

/** Without case and accents. */
const normalizeText = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

interface CommandInput {
  readonly pages: readonly PageLink[]
  readonly me: Pick<Me, 'role' | 'isInvited'>
  readonly reflections: readonly Reflection[]
  readonly sessions: readonly SessionView[]
  /** Sources and facts loaded for some of the reflections. */
  readonly matches?: readonly ReflectionMatches[]
}

export interface ReflectionMatches {
  readonly reflection: Pick<Reflection, 'id' | 'displayName'>
  readonly sources: readonly Pick<Source, 'id' | 'title'>[]
  readonly facts: readonly Pick<Fact, 'id' | 'statement'>[]
}

/** All commands: conversations, pages, actions, parts of reflections, sources, facts, sessions. */
export function listCommands({
  pages,
  me,
  reflections,
  sessions,
  matches = [],
}: CommandInput): readonly Command[] {
  return [
    ...reflections.map(createTalkCommand),
    ...filterPages(pages, 'main', me.role).map(({ label, to }) => createLinkCommand('Page', label, to)),
    ...ACTIONS.filter(([action]) => !me.isInvited || action !== 'new-session').map(
      ([action, label, words]): Command => ({
        id: action,
        label,
        kind: 'Action',
        words,
        effect: { kind: 'act', action },
      }),
    ),
    ...reflections.flatMap((reflection) => listPageCommands(pages, reflection)),
    ...matches.flatMap(listSourceCommands),
    ...matches.flatMap(listFactCommands),
    ...sessions.map((session) =>
      createLinkCommand('Session', getSessionTitle(session), `/sessions/${session.sessionId}`),
    ),
  ]
}

const createLinkCommand = (kind: Command['kind'], label: string, href: string, words?: string): Command => ({
  id: `${kind} ${href}`,
  label,
  kind,
  ...(words !== undefined && { words }),
  effect: { kind: 'go', href },
})

const ACTIONS: readonly (readonly [PaletteAction, string, string])[] = [
  ['new-session', 'New session', 'start chat agent'],
  ['theme-light', 'Theme: light', 'colours bright'],
  ['theme-dark', 'Theme: dark', 'colours night'],
  ['theme-system', 'Theme: system', 'colours'],
  ['shortcuts', 'Keyboard shortcuts', 'keys help'],
  ['tour', 'Show the tour', 'help first steps introduction'],
  ['sign-out', 'Sign out', 'leave log out'],
]

const createTalkCommand = ({ id, displayName }: Reflection): Command =>
  createLinkCommand(
    'Action',
    `Talk with ${displayName}`,
    `/reflections/${id}/talk`,
    'speak voice call interview',
  )

/** The pages of a reflection, apart from its talk page. */
const listPageCommands = (pages: readonly PageLink[], { id, displayName, role }: Reflection) =>
  filterPages(pages, 'reflection', role)
    .filter(({ to }) => !to.endsWith('/talk'))
    .map(({ label, to }) =>
      createLinkCommand('Reflection', `${displayName}: ${label}`, to.replace('$reflectionId', id)),
    )

const listSourceCommands = ({
  reflection: { id, displayName },
  sources,
}: ReflectionMatches): readonly Command[] =>
  sources.map((source) => ({
    ...createLinkCommand('Source', escapeInvisible(source.title), `/reflections/${id}/sources/${source.id}`),
    reflectionName: displayName,
  }))

/** Links to the fact page, filtered by the fact's own text. */
const listFactCommands = ({ reflection, facts }: ReflectionMatches): readonly Command[] =>
  facts.map(({ id, statement }) => ({
    ...createLinkCommand(
      'Fact',
      escapeInvisible(statement),
      `/reflections/${reflection.id}/facts?search=${encodeURIComponent(statement.slice(0, MAX_SEARCH_LENGTH))}`,
    ),
    id: `Fact ${id}`,
    reflectionName: reflection.displayName,
  }))

/** Palette actions other than navigation. */
export type PaletteAction =
  | 'new-session'
  | 'theme-system'
  | 'theme-light'
  | 'theme-dark'
  | 'shortcuts'
  | 'tour'
  | 'sign-out'

export interface Command {
  readonly id: string
  readonly label: string
  /** Shown beside the label. */
  readonly kind: 'Page' | 'Reflection' | 'Session' | 'Action' | 'Source' | 'Fact'
  /** The reflection it belongs to, shown beside the kind. */
  readonly reflectionName?: string
  /** Extra search words. */
  readonly words?: string
  readonly effect:
    | { readonly kind: 'go'; readonly href: string }
    | { readonly kind: 'act'; readonly action: PaletteAction }
}
