import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, getRouteApi } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { type AnswerPart, type TranscriptTurn, listTurns } from '@parley/api-client'
import type { SessionId, TurnSummary } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { IconButton } from '../ui/button.tsx'
import { MAX_SEARCH_LENGTH } from '../ui/use-debounced.ts'
import { Composer, ReadOnlyNote } from './composer.tsx'
import type { SessionReader } from './session-reader.ts'
import { type OpenSession, isVoiceCallRunning } from './session-state.ts'
import { useOpenSession } from './open-session.ts'
import { getMessageText } from './text-labels.ts'
import { TranscriptView } from './transcript-view.tsx'
import { type TurnDetail, collectTurnDetails } from './turn-details.ts'

const route = getRouteApi('/sessions/$sessionId/')

/** The transcript and the message box. `find` in the address is the search text and opens the search bar. */
export function TranscriptPage() {
  const { find } = route.useSearch()
  const { storage } = useConsoleHost()
  const { open, reader } = useOpenSession()
  const { session } = open
  const navigate = useNavigate()
  const last = useMemo(() => listTurns(open.transcript).at(-1), [open.transcript])
  const details = useTurnDetails(session.sessionId, last)
  const results = useFindResults(open, reader, find ?? '')
  const search = (words: string | undefined) => {
    results.begin()
    const params = { sessionId: session.sessionId }
    void navigate({
      to: '/sessions/$sessionId',
      params,
      search: words === undefined ? {} : { find: words },
      replace: true,
    })
  }
  return (
    <>
      {find !== undefined && (
        <FindBar
          words={find}
          count={results.count}
          at={results.at}
          isLoading={results.isLoading}
          onWords={search}
          onGo={results.go}
          onClose={() => search(undefined)}
        />
      )}
      <TranscriptView open={open} reader={reader} found={results.turn} details={details} />
      {isVoiceCallRunning(session) ? (
        <ReadOnlyNote>
          This is a voice call. Its transcript appears here after the call; then you can continue in text.
        </ReadOnlyNote>
      ) : session.status === 'ended' ? (
        <ReadOnlyNote>This session has ended.</ReadOnlyNote>
      ) : session.mayWrite ? (
        <Composer open={open} reader={reader} storage={storage} />
      ) : (
        <ReadOnlyNote>Read-only: only the owner of this session can write.</ReadOnlyNote>
      )}
    </>
  )
}

/** Search results in a session, the last first. Loads all messages on the first search. */
function useFindResults({ transcript, earlier }: OpenSession, reader: SessionReader, words: string) {
  const [shownKey, setShownKey] = useState<TranscriptTurn['key']>()
  const turns = useMemo(() => listTurns(transcript), [transcript])
  const results = useMemo(() => findInTurns(turns, words), [turns, words])
  const loadEarlier = useEffectEvent(() => earlier === 'available' && reader.showEarlier())
  useEffect(() => {
    if (words !== '') loadEarlier()
  }, [words, earlier, transcript.messages])
  const at = Math.max(
    0,
    shownKey === undefined ? results.length - 1 : results.findIndex(({ key }) => key === shownKey),
  )
  return {
    count: results.length,
    at,
    turn: words === '' ? undefined : results[at],
    isLoading: words !== '' && earlier !== 'none' && earlier !== 'failed',
    go: (to: number) => setShownKey(results[to]?.key),
    /** Starts again at the last result for a new search. */
    begin: () => setShownKey(undefined),
  }
}

/** The turns that contain the words, ignoring case, in order. */
export function findInTurns(turns: readonly TranscriptTurn[], words: string): readonly TranscriptTurn[] {
  const search = words.trim().toLowerCase()
  if (search === '') return []
  return turns.filter((turn) => listTurnTexts(turn).some((text) => text.toLowerCase().includes(search)))
}

const listTurnTexts = ({ question, parts }: TranscriptTurn): readonly string[] => [
  ...(question ? [getMessageText(question)] : []),
  ...parts.flatMap(listPartTexts),
]

const listPartTexts = (part: AnswerPart): readonly string[] =>
  part.kind === 'tool'
    ? [part.call.name, JSON.stringify(part.call.input), part.outcome?.text ?? '']
    : [part.text]

interface LoadedTurns {
  readonly turns: readonly TurnSummary[]
  /** Where to continue reading: earlier turns are complete. */
  readonly after: number
}

const NO_TURNS: LoadedTurns = { turns: [], after: 0 }

/**
 * Time and cost of a session's turns, by question. When the last turn changes, also between two renders, the turns from the
 * last complete one on are loaded again. The transcript works without it.
 */
function useTurnDetails(
  sessionId: SessionId,
  last: Pick<TranscriptTurn, 'key' | 'state'> | undefined,
): ReadonlyMap<number, TurnDetail> {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const key = ['turn-details', sessionId]
  const { data, refetch } = useQuery({
    queryKey: key,
    // Without data, a fetch that started before the change would not restart.
    initialData: NO_TURNS,
    queryFn: async (): Promise<LoadedTurns> => {
      let loaded = queries.getQueryData<LoadedTurns>(key) ?? NO_TURNS
      for (;;) {
        const { items, nextAfter, more } = await client.sessions.turns({ sessionId, after: loaded.after })
        const read = new Set(items.map(({ turnId }) => turnId))
        loaded = {
          turns: [...loaded.turns.filter(({ turnId }) => !read.has(turnId)), ...items],
          after: nextAfter,
        }
        if (!more) return loaded
      }
    },
    refetchOnWindowFocus: false,
  })
  useEffect(() => void refetch(), [last?.key, last?.state, refetch])
  return useMemo(() => collectTurnDetails(data.turns), [data])
}

interface FindBarProps {
  readonly words: string
  readonly count: number
  readonly at: number
  readonly isLoading: boolean
  readonly onWords: (words: string) => void
  readonly onGo: (at: number) => void
  readonly onClose: () => void
}

/** Searches one session. The browser's search only sees rendered rows. */
function FindBar({ words, count, at, isLoading, onWords, onGo, onClose }: FindBarProps) {
  const [text, setText] = useState(words)
  const go = (step: number) => {
    if (count > 0) onGo((at + step + count) % count)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && text.trim() === words) go(event.shiftKey ? 1 : -1)
    else if (event.key === 'Enter') onWords(text.trim())
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
  }
  return (
    <div
      role="search"
      aria-label="Find in this session"
      className="border-line bg-shade flex flex-wrap items-center gap-x-2 gap-y-1 border-b px-4 py-2 sm:px-8"
    >
      <input
        type="search"
        aria-label="Find in this session"
        placeholder="Find in this session"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => text.trim() !== words && onWords(text.trim())}
        onKeyDown={onKeyDown}
        className="placeholder:text-soft border-edge focus:border-accent bg-paper min-h-9 min-w-0 flex-1 rounded-md border px-2 text-sm outline-offset-0 max-sm:min-h-11 max-sm:basis-full [&::-webkit-search-cancel-button]:appearance-none"
      />
      <p role="status" className="text-soft min-w-28 text-sm tabular-nums">
        {describeResults(words, count, at, isLoading)}
      </p>
      <IconButton
        icon="up"
        label="Earlier"
        title="Earlier (Enter)"
        disabled={count < 2}
        onClick={() => go(-1)}
      />
      <IconButton
        icon="down"
        label="Later"
        title="Later (Shift and Enter)"
        disabled={count < 2}
        onClick={() => go(1)}
      />
      <IconButton icon="close" label="Close the search" onClick={onClose} />
    </div>
  )
}

function describeResults(words: string, count: number, at: number, isLoading: boolean): string {
  if (words === '') return 'Press Enter'
  if (count === 0) return isLoading ? 'Loading…' : 'No results'
  return `${at + 1} of ${count}${isLoading ? ', loading…' : ''}`
}
