import { type TranscriptTurn, turnsOf } from '@parley/api-client'
import type { SessionView } from '@parley/contracts'
import { type ReactNode, use, useMemo } from 'react'
import { Button } from '../ui/button.tsx'
import { AnswerAnnouncer } from './answer-announcer.tsx'
import { AnswerFrameContext } from './answer-frame.ts'
import { isOffline, OFFLINE_EXPLAINED } from './model-label.ts'
import type { Outgoing } from './outbox.ts'
import { OutgoingView } from './outgoing-view.tsx'
import { isCallOn, type SessionReader } from './session-reader.ts'
import { NOTHING_ASKED, type OpenSession } from './session-state.ts'
import type { TurnDetail } from './turn-details.ts'
import { turnHeight } from './turn-height.ts'
import { personIn, TurnView } from './turn-view.tsx'
import { VirtualTranscript } from './virtual-transcript.tsx'

interface TranscriptViewProps {
  readonly open: OpenSession
  readonly reader: SessionReader
  /** The turn that was looked for. */
  readonly found?: TranscriptTurn | undefined
  /** What turns took, by their questions, where that is known. */
  readonly details?: ReadonlyMap<number, TurnDetail>
}

type Row = TranscriptTurn | Outgoing

export function TranscriptView({ open, reader, found, details }: TranscriptViewProps) {
  const { session, transcript, outbox, earlier, asking, connection } = open
  const { empty } = use(AnswerFrameContext)
  const turns = useMemo(() => turnsOf(transcript), [transcript])
  const rows = useMemo((): readonly Row[] => [...turns, ...outbox], [turns, outbox])
  const last = turns.at(-1)
  const isOnItsWay = outbox.some(({ state }) => state !== 'failed')
  const mayWrite = session.mayWrite && session.status !== 'ended'
  const actions = mayWrite && !isOnItsWay ? reader : undefined
  const foundAt = found && turns.indexOf(found)
  return (
    <>
      <VirtualTranscript
        rows={rows}
        keyOf={keyOf}
        estimate={heightOf}
        found={foundAt}
        sent={outbox.at(-1)?.key}
        onTop={() => earlier === 'there' && reader.showEarlier()}
        top={
          rows.length === 0 ? (
            (empty ?? <EmptyTranscript session={session} />)
          ) : (
            <Earlier state={earlier} onAgain={reader.showEarlier} />
          )
        }
      >
        {(row) =>
          'parts' in row ? (
            <TurnView
              turn={row}
              agent={session.agentName ?? session.agentSlug}
              person={personIn(session)}
              asking={row === last ? asking : NOTHING_ASKED}
              actions={row === last ? actions : undefined}
              detail={details?.get(row.key)}
            />
          ) : (
            <OutgoingView
              outgoing={row}
              onSendAgain={mayWrite ? () => reader.sendAgain(row.key) : undefined}
              onDiscard={() => reader.discard(row.key)}
            />
          )
        }
      </VirtualTranscript>
      <AnswerAnnouncer turn={last} />
      <div role="status">
        {connection === 'reconnecting' && (
          <p className="animate-late text-soft border-line border-t px-4 py-1.5 text-center text-sm">
            Connection lost — reconnecting…
          </p>
        )}
      </div>
    </>
  )
}

const keyOf = ({ key }: Row) => key

const OUTGOING_HEIGHT = 80

const heightOf = (row: Row): number => ('parts' in row ? turnHeight(row) : OUTGOING_HEIGHT)

function Earlier({ state, onAgain }: { state: OpenSession['earlier']; onAgain: () => void }) {
  if (state === 'failed')
    return <Button onClick={onAgain}>Could not load what came before — try again</Button>
  return state === 'none' ? null : <p className="text-soft text-sm">Loading what came before…</p>
}

function EmptyTranscript({ session }: { session: SessionView }) {
  if (isCallOn(session)) {
    return (
      <p className="text-ink w-full py-18 font-serif text-xl lg:ps-30">
        A call is on, or just over. Its words are on their way.
      </p>
    )
  }
  return (
    <NothingSaid mayWrite={session.mayWrite}>
      <OfflineNote session={session} />
    </NothingSaid>
  )
}

export const OfflineNote = ({ session }: { session: Pick<SessionView, 'provider' | 'model'> }) =>
  isOffline(session) && <p className="mt-2">{OFFLINE_EXPLAINED}</p>

export const NothingSaid = ({ mayWrite, children }: { mayWrite: boolean; children?: ReactNode }) => (
  <div className="text-soft w-full py-18 text-sm leading-6 lg:ps-30">
    <p className="text-ink font-serif text-xl">Nothing has been said yet.</p>
    {mayWrite && (
      <p className="mt-2">
        Write below to begin. Everything is kept as it is said; you can leave and come back.
      </p>
    )}
    {children}
  </div>
)
