import { type TranscriptTurn, turnsOf } from '@parley/api-client'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { Notice } from '../../ui/notice.tsx'
import { useEventLog } from '../events/use-event-log.ts'
import { useOpenSession } from '../open-session.ts'
import { NOTHING_ASKED } from '../session-state.ts'
import { turnHeight } from '../turn-height.ts'
import { personIn, TurnView } from '../turn-view.tsx'
import { VirtualTranscript } from '../virtual-transcript.tsx'
import { createReplay } from './create-replay.ts'
import { PlayerBar } from './player-bar.tsx'
import type { ReplayPlace, Speed } from './place-in-address.ts'
import { usePlayer } from './use-player.ts'

/** The session once more, event by event, as it was told then. Nothing is sent anywhere. */
export function ReplayPage({ start }: { start: ReplayPlace }) {
  const { session } = useOpenSession().open
  const { events, isUpToDate, error } = useEventLog(session)
  const speed = start.speed ?? '1'
  const player = usePlayer(events, start.at ?? 0, speed)
  const replay = useMemo(() => createReplay(events), [events])
  const turns = useMemo(() => turnsOf(replay.at(player.count)), [replay, player.count])
  const keepPlace = useKeptPlace(start)
  useEffect(() => {
    if (!player.isPlaying && isUpToDate) keepPlace({ at: player.count })
  }, [player.isPlaying, player.count, isUpToDate, keepPlace])
  return (
    <>
      {error !== undefined && (
        <div className="px-4 py-3 sm:px-8">
          <Notice>{error}</Notice>
        </div>
      )}
      <VirtualTranscript
        rows={turns}
        keyOf={keyOf}
        estimate={turnHeight}
        top={turns.length === 0 && <Beginning />}
      >
        {(turn) => (
          <TurnView
            turn={turn}
            agent={session.agentName ?? session.agentSlug}
            person={personIn(session)}
            asking={NOTHING_ASKED}
            actions={undefined}
          />
        )}
      </VirtualTranscript>
      <PlayerBar
        player={player}
        events={events}
        isReading={!isUpToDate}
        speed={speed}
        onSpeed={(next: Speed) => keepPlace({ speed: next })}
      />
    </>
  )
}

const keyOf = ({ key }: TranscriptTurn) => key

const Beginning = () => (
  <div className="text-soft w-full py-18 text-sm leading-6 lg:ps-30">
    <p className="text-ink font-serif text-xl">Before the first word.</p>
    <p className="mt-2">
      Play the session to see it happen again, or go through it event by event. Nothing of it is done again:
      no model is asked and no tool is run.
    </p>
  </div>
)

/** Where the replay stands is in the address, so that it is still there after a reload, and can be sent to somebody. */
function useKeptPlace(start: ReplayPlace) {
  const { sessionId } = useOpenSession().open.session
  const navigate = useNavigate()
  return useMemo(
    () => (place: ReplayPlace) => {
      const search = { ...start, ...place }
      // Nobody has moved: whoever is just going to another view is not called back.
      if ((search.at ?? 0) === (start.at ?? 0) && search.speed === start.speed) return
      void navigate({ to: '/sessions/$sessionId/replay', params: { sessionId }, search, replace: true })
    },
    [navigate, sessionId, start],
  )
}
