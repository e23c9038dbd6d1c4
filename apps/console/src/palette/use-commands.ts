import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Reflection } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { reflectionKey } from '../reflections/reflection-keys.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { useSessions } from '../shell/use-sessions.ts'
import type { Command } from './command.ts'
import { type Held, knownCommands } from './known-commands.ts'

const MOST_RECENT = 8
const PAUSE_MS = 200
const NONE: readonly Reflection[] = []

/** What fits the words: at once of what is known, then of what the server finds by them. */
export function useCommands(query: string): {
  readonly groups: readonly CommandGroup[]
  readonly isSearching: boolean
} {
  const { me } = useConsoleHost()
  const search = useSettled(query.trim())
  const { items: reflections = NONE } = useReflections()
  const found = useSessions(search)
  const { held, isReading } = useHeld(search, reflections)
  const sessions = useMemo(() => found.data?.pages.flatMap(({ items }) => items) ?? [], [found.data])
  const isSettled = search === query.trim()
  const isAnswered = isSettled && !found.isPlaceholderData
  const groups = useMemo(() => {
    const known = knownCommands({
      me,
      reflections,
      sessions: query.trim() === '' ? sessions.slice(0, MOST_RECENT) : sessions,
      held: query.trim() === '' ? [] : held,
    })
    const ranked = rankCommands(query, known)
    // What the server found by what was said in it need not have the words in its title.
    const others = isAnswered && search !== '' ? known.filter(isSessionBeside(ranked)) : []
    return groupCommands([...ranked, ...others])
  }, [me, reflections, sessions, held, query, search, isAnswered])
  return { groups, isSearching: !isAnswered || isReading }
}

const isSessionBeside = (ranked: readonly Command[]) => (command: Command) =>
  command.kind === 'Session' && !ranked.includes(command)

/** The same, once it has stayed so for a moment. */
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
  Page: 'Go to and do',
  Action: 'Go to and do',
  Reflection: 'Go to and do',
  Source: 'Sources',
  Fact: 'Facts',
  Session: 'Sessions',
}

const MOST_OF_A_GROUP = 40

/** The same by what they are. What holds the best comes first, and within each the better stays before the worse. */
export const groupCommands = (ranked: readonly Command[]): readonly CommandGroup[] =>
  [...Map.groupBy(ranked, ({ kind }) => TITLES[kind])].map(([title, commands]) => ({
    title,
    commands: commands.slice(0, MOST_OF_A_GROUP),
  }))

/** Fewer letters are in nearly every sentence. */
const FEWEST_LETTERS = 3
/** So many reflections are asked at once, the latest first. */
const MOST_ASKED = 5
const MOST_SOURCES = 200
const MOST_FACTS = 8
const LASTS_MS = 60_000

/** The sources of the reflections at hand, and of their facts those that have the words. */
function useHeld(
  search: string,
  reflections: readonly Reflection[],
): { readonly held: readonly Held[]; readonly isReading: boolean } {
  const { client } = useConsoleHost()
  const asked = search.length < FEWEST_LETTERS ? NOBODY : reflections.slice(0, MOST_ASKED)
  return useQueries({
    queries: asked.map((reflection) => ({
      queryKey: [...reflectionKey(reflection.id), 'found', search],
      queryFn: async (): Promise<Held> => {
        const of = { reflectionId: reflection.id }
        const [sources, facts] = await Promise.all([
          client.reflections.sources({ ...of, limit: MOST_SOURCES }),
          client.reflections.facts({ ...of, state: 'active', search, limit: MOST_FACTS }),
        ])
        return { reflection, sources: sources.items, facts: facts.items }
      },
      placeholderData: keepPreviousData<Held>,
      staleTime: LASTS_MS,
      retry: false,
    })),
    combine: useCallback(
      (readings: readonly Reading[]) => ({
        held: readings.flatMap(({ data }) => data ?? []),
        isReading: readings.some(({ isFetching }) => isFetching),
      }),
      [],
    ),
  })
}

const NOBODY: readonly Reflection[] = []

interface Reading {
  readonly data: Held | undefined
  readonly isFetching: boolean
}

/** The commands that all words of a query fit, the best first; all of them, as they are, for no words. */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  return commands
    .map((command, place) => ({ command, place, score: scoreOf(words, command) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.place - other.place)
    .map(({ command }) => command)
}

/** Nought where a word fits nowhere. */
function scoreOf(words: readonly string[], { kind, label, words: more = '' }: Command): number {
  const fitOf = IS_WRITTEN.has(kind) ? writtenFit : nameFit
  const name = plain(label)
  const whole = words.join(' ')
  let score = name === whole ? EXACT : name.startsWith(whole) ? STARTS : 0
  for (const word of words) {
    const fit = Math.max(fitOf(word, name), Math.min(fitOf(word, plain(more)), LIKE_A_PART))
    if (fit === 0) return 0
    score += fit
  }
  // Of two that fit alike, the shorter says less besides.
  return score - Math.min(name.length, 100) / 1_000
}

/** What people wrote has so many letters that some of them are those of any word. */
const IS_WRITTEN: ReadonlySet<Command['kind']> = new Set(['Session', 'Source', 'Fact'])

const EXACT = 200
const STARTS = 100
const WHOLE_WORD = 80
const WORD_STARTS = 60
const LIKE_A_PART = 40
const INITIALS = 30
const SCATTERED = 10

function writtenFit(word: string, text: string): number {
  const parts = partsOf(text)
  if (parts.includes(word)) return WHOLE_WORD
  if (parts.some((part) => part.startsWith(word))) return WORD_STARTS
  return word.length > 2 && text.includes(word) ? LIKE_A_PART : 0
}

/** Of the name of a page or an action, initials do, and letters of one word of it. */
function nameFit(word: string, text: string): number {
  const fit = writtenFit(word, text)
  if (fit > 0) return fit
  const parts = partsOf(text)
  const initials = parts.map((part) => part[0] ?? '').join('')
  if (initials.startsWith(word)) return INITIALS
  return word.length > 3 && parts.some((part) => isScattered(word, part)) ? SCATTERED : 0
}

const partsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** Whether all letters are there, in their order, not far from each other. */
function isScattered(word: string, text: string): boolean {
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
