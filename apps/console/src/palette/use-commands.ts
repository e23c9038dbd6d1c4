import type { Reflection } from '@parley/contracts'
import { useEffect, useMemo, useState } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { useSessions } from '../shell/use-sessions.ts'
import type { Command } from './command.ts'
import { type CommandGroup, groupCommands } from './group-commands.ts'
import { knownCommands } from './known-commands.ts'
import { rankCommands } from './rank-commands.ts'
import { useHeld } from './use-held.ts'

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
