import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Reflection } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { reflectionKey } from '../reflections/reflection-keys.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { useSessions } from '../shell/use-sessions.ts'
import { type Command, type ReflectionMatches, listCommands } from './commands.ts'

const MOST_RECENT = 8
const PAUSE_MS = 200
const NONE: readonly Reflection[] = []

/** Matching commands: local ones at once, then search results from the server. */
export function useCommands(query: string): {
  readonly groups: readonly CommandGroup[]
  readonly isSearching: boolean
} {
  const { me } = useConsoleHost()
  const search = useSettled(query.trim())
  const { items: reflections = NONE } = useReflections()
  const found = useSessions(search)
  const { matches, isReading } = useReflectionMatches(search, reflections)
  const sessions = useMemo(() => found.data?.pages.flatMap(({ items }) => items) ?? [], [found.data])
  const isSettled = search === query.trim()
  const isAnswered = isSettled && !found.isPlaceholderData
  const groups = useMemo(() => {
    const known = listCommands({
      me,
      reflections,
      sessions: query.trim() === '' ? sessions.slice(0, MOST_RECENT) : sessions,
      matches: query.trim() === '' ? [] : matches,
    })
    const ranked = rankCommands(query, known)
    // A session found by its messages need not have the words in its title.
    const others = isAnswered && search !== '' ? known.filter(isOtherSession(ranked)) : []
    return groupCommands([...ranked, ...others])
  }, [me, reflections, sessions, matches, query, search, isAnswered])
  return { groups, isSearching: !isAnswered || isReading }
}

const isOtherSession = (ranked: readonly Command[]) => (command: Command) =>
  command.kind === 'Session' && !ranked.includes(command)

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
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

const MOST_OF_A_GROUP = 40

/** Commands grouped by kind. The group with the best match comes first; each group keeps the ranking. */
export const groupCommands = (ranked: readonly Command[]): readonly CommandGroup[] =>
  [...Map.groupBy(ranked, ({ kind }) => TITLES[kind])].map(([title, commands]) => ({
    title,
    commands: commands.slice(0, MOST_OF_A_GROUP),
  }))

/** Shorter queries match nearly every sentence. */
const FEWEST_LETTERS = 3
/** Searches this many reflections, the latest first. */
const MOST_ASKED = 5
const MOST_SOURCES = 200
const MOST_FACTS = 8
const LASTS_MS = 60_000

/** Sources of the latest reflections, and their facts that match the search. */
function useReflectionMatches(
  search: string,
  reflections: readonly Reflection[],
): { readonly matches: readonly ReflectionMatches[]; readonly isReading: boolean } {
  const { client } = useConsoleHost()
  const asked = search.length < FEWEST_LETTERS ? NOBODY : reflections.slice(0, MOST_ASKED)
  return useQueries({
    queries: asked.map((reflection) => ({
      queryKey: [...reflectionKey(reflection.id), 'found', search],
      queryFn: async (): Promise<ReflectionMatches> => {
        const of = { reflectionId: reflection.id }
        const [sources, facts] = await Promise.all([
          client.reflections.sources({ ...of, limit: MOST_SOURCES }),
          client.reflections.facts({ ...of, state: 'active', search, limit: MOST_FACTS }),
        ])
        return { reflection, sources: sources.items, facts: facts.items }
      },
      placeholderData: keepPreviousData<ReflectionMatches>,
      staleTime: LASTS_MS,
      retry: false,
    })),
    combine: useCallback(
      (readings: readonly Reading[]) => ({
        matches: readings.flatMap(({ data }) => data ?? []),
        isReading: readings.some(({ isFetching }) => isFetching),
      }),
      [],
    ),
  })
}

const NOBODY: readonly Reflection[] = []

interface Reading {
  readonly data: ReflectionMatches | undefined
  readonly isFetching: boolean
}

/** The commands that match every word of the query, best first; all commands for an empty query. */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  return commands
    .map((command, place) => ({ command, place, score: scoreOf(words, command) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.place - other.place)
    .map(({ command }) => command)
}

/** Zero if any word does not match. */
function scoreOf(words: readonly string[], { kind, label, words: more = '' }: Command): number {
  const fitOf = USER_TEXT_KINDS.has(kind) ? matchUserText : matchName
  const name = plain(label)
  const whole = words.join(' ')
  let score = name === whole ? EXACT : name.startsWith(whole) ? STARTS : 0
  for (const word of words) {
    const fit = Math.max(fitOf(word, name), Math.min(fitOf(word, plain(more)), LIKE_A_PART))
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
const LIKE_A_PART = 40
const INITIALS = 30
const SCATTERED = 10

function matchUserText(word: string, text: string): number {
  const parts = partsOf(text)
  if (parts.includes(word)) return WHOLE_WORD
  if (parts.some((part) => part.startsWith(word))) return WORD_STARTS
  return word.length > 2 && text.includes(word) ? LIKE_A_PART : 0
}

/** Page and action names also match by initials and by letters of one word. */
function matchName(word: string, text: string): number {
  const fit = matchUserText(word, text)
  if (fit > 0) return fit
  const parts = partsOf(text)
  const initials = parts.map((part) => part[0] ?? '').join('')
  if (initials.startsWith(word)) return INITIALS
  return word.length > 3 && parts.some((part) => hasLettersInOrder(word, part)) ? SCATTERED : 0
}

const partsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

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
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
