import { useNavigate, getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import {
  type Transcript,
  type TranscriptTurn,
  applyEvent,
  openTranscript,
  listTurns,
} from '@parley/api-client'
import type { SessionEvent } from '@parley/contracts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { formatTime } from '../../ui/format.ts'
import { useEventLog } from '../events/use-event-log.ts'
import { type ReplayPosition, SPEEDS, type Speed } from '../../app/search-params.ts'
import { NO_REQUEST } from '../session-state.ts'
import { useOpenSession } from '../open-session.ts'
import { TurnView, getAuthorName } from '../turn-view.tsx'
import { VirtualTranscript, estimateTurnHeight } from '../virtual-transcript.tsx'

const route = getRouteApi('/sessions/$sessionId/replay')

/** Replays the session event by event. Nothing is sent. */
export function ReplayPage() {
  const start = route.useSearch()
  const { session } = useOpenSession().open
  const { events, isUpToDate, error } = useEventLog(session)
  const speed = start.speed ?? '1'
  const player = usePlayer(events, start.at ?? 0, speed)
  const replay = useMemo(() => createReplay(events), [events])
  const turns = useMemo(() => listTurns(replay.at(player.count)), [replay, player.count])
  const savePosition = useSavedPosition(start)
  useEffect(() => {
    if (!player.isPlaying && isUpToDate) savePosition({ at: player.count })
  }, [player.isPlaying, player.count, isUpToDate, savePosition])
  return (
    <>
      {error !== undefined && (
        <div className="px-4 py-3 sm:px-8">
          <Notice>{error}</Notice>
        </div>
      )}
      <VirtualTranscript
        rows={turns}
        getKey={getTurnKey}
        estimate={estimateTurnHeight}
        top={turns.length === 0 && <Beginning />}
      >
        {(turn) => (
          <TurnView
            turn={turn}
            agent={session.agentName ?? session.agentSlug}
            person={getAuthorName(session)}
            request={NO_REQUEST}
            actions={undefined}
          />
        )}
      </VirtualTranscript>
      <PlayerBar
        player={player}
        events={events}
        isLoading={!isUpToDate}
        speed={speed}
        onSpeed={(next: Speed) => savePosition({ speed: next })}
      />
    </>
  )
}

const getTurnKey = ({ key }: TranscriptTurn) => key

const Beginning = () => (
  <div className="text-soft w-full py-18 text-sm leading-6 lg:ps-30">
    <p className="text-ink font-serif text-xl">Start of the session.</p>
    <p className="mt-2">
      Replay the session, or step through it event by event. No model is called and no tool runs.
    </p>
  </div>
)

/** Keeps the position in the address, for reloads and sharing. */
function useSavedPosition(start: ReplayPosition) {
  const { sessionId } = useOpenSession().open.session
  const navigate = useNavigate()
  return useMemo(
    () => (position: ReplayPosition) => {
      const search = { ...start, ...position }
      // Unchanged: do not interrupt a navigation to another view.
      if ((search.at ?? 0) === (start.at ?? 0) && search.speed === start.speed) return
      void navigate({ to: '/sessions/$sessionId/replay', params: { sessionId }, search, replace: true })
    },
    [navigate, sessionId, start],
  )
}

interface PlayerBarProps {
  readonly player: Player
  readonly events: readonly SessionEvent[]
  readonly isLoading: boolean
  readonly speed: Speed
  readonly onSpeed: (speed: Speed) => void
}

const NAMES: Record<Speed, string> = { '1': '1×', '4': '4×', max: 'Max' }

function PlayerBar({ player, events, isLoading, speed, onSpeed }: PlayerBarProps) {
  const { count, isPlaying, play, pause, goTo } = player
  const last = events[count - 1]
  return (
    <div
      role="group"
      aria-label="Replay"
      className="border-line flex flex-wrap items-center gap-x-3 gap-y-2 border-t px-4 py-3 sm:px-8"
    >
      <Button
        icon={isPlaying ? 'pause' : 'play'}
        variant="primary"
        className="min-w-24"
        disabled={events.length === 0}
        onClick={isPlaying ? pause : play}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <IconButton
        icon="stepBack"
        label="Previous event"
        variant="secondary"
        disabled={count === 0}
        onClick={() => goTo(count - 1)}
      />
      <IconButton
        icon="step"
        label="Next event"
        variant="secondary"
        disabled={count >= events.length}
        onClick={() => goTo(count + 1)}
      />
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`Event ${count} of ${events.length}`}
        min={0}
        max={events.length}
        value={count}
        onChange={({ target }) => goTo(Number(target.value))}
        className="min-w-32 flex-1 max-sm:order-last max-sm:basis-full"
      />
      <fieldset className="flex gap-1">
        <legend className="sr-only">Speed</legend>
        {SPEEDS.map((one) => (
          <Button
            key={one}
            variant={one === speed ? 'secondary' : 'ghost'}
            aria-pressed={one === speed}
            onClick={() => onSpeed(one)}
          >
            {NAMES[one]}
          </Button>
        ))}
      </fieldset>
      <p className="text-soft basis-full truncate text-xs tabular-nums">
        {count.toLocaleString()} of {events.length.toLocaleString()} events
        {isLoading && ', loading…'}
        {last && ` · ${formatTime(last.timestamp)} · ${last.type}`}
      </p>
    </div>
  )
}

interface Player {
  readonly count: number
  readonly isPlaying: boolean
  readonly play: () => void
  readonly pause: () => void
  readonly goTo: (count: number) => void
}

/** Plays events at their own pace or faster, until the last one or a stop. */
function usePlayer(events: readonly SessionEvent[], start: number, speed: Speed): Player {
  const [played, setPlayed] = useState(start)
  const [wantsToPlay, setWantsToPlay] = useState(false)
  const count = Math.min(played, events.length)
  const isPlaying = wantsToPlay && count < events.length
  useEffect(() => {
    if (!isPlaying) return undefined
    const step = planNextStep(events, count, speed)
    const timer = setTimeout(() => setPlayed(Math.min(step.count, events.length)), step.inMs)
    return () => clearTimeout(timer)
  }, [events, count, speed, isPlaying])
  return {
    count,
    isPlaying,
    play: () => {
      if (count >= events.length) setPlayed(0)
      setWantsToPlay(true)
    },
    pause: () => setWantsToPlay(false),
    goTo: (to) => {
      setWantsToPlay(false)
      setPlayed(Math.min(Math.max(to, 0), events.length))
    },
  }
}

/** Rebuilds a session's transcript from its events. */
interface Replay {
  /** The transcript after so many events. */
  at(count: number): Transcript
}

const BEGINNING = openTranscript({ lastSequence: 0, openTurn: undefined }, [])

/** Events between saved transcripts for seeking back; they share most of their data. */
const SAVED_EVERY = 100

export function createReplay(events: readonly SessionEvent[]): Replay {
  const saved: Transcript[] = [BEGINNING]
  return {
    at(count) {
      const end = Math.min(Math.max(count, 0), events.length)
      const savedAt = Math.min(Math.floor(end / SAVED_EVERY), saved.length - 1)
      let transcript = saved[savedAt] ?? BEGINNING
      for (let played = savedAt * SAVED_EVERY; played < end; played += 1) {
        const event = events[played]
        if (event) transcript = applyEvent(transcript, event)
        if ((played + 1) % SAVED_EVERY === 0) saved[(played + 1) / SAVED_EVERY] = transcript
      }
      return transcript
    },
  }
}

/** Longer pauses are cut to this. */
const LONGEST_PAUSE_MS = 3_000
/** At maximum speed, the number of frames for all events. */
const FRAMES_AT_ONCE = 150
const FRAME_MS = 16

/** The next step: how many events, after how long. */
export function planNextStep(
  events: readonly SessionEvent[],
  count: number,
  speed: Speed,
): { readonly count: number; readonly inMs: number } {
  if (speed === 'max') {
    return { count: count + Math.max(1, Math.ceil(events.length / FRAMES_AT_ONCE)), inMs: FRAME_MS }
  }
  const [last, next] = [events[count - 1], events[count]]
  const between = last && next ? Date.parse(next.timestamp) - Date.parse(last.timestamp) : 0
  return { count: count + 1, inMs: Math.min(Math.max(between, 0), LONGEST_PAUSE_MS) / Number(speed) }
}
