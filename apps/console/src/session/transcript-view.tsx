import { type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { type TranscriptTurn, listTurns } from '@parley/api-client'
import type { SessionView } from '@parley/contracts'
import { Button } from '../ui/button.tsx'
import { AnswerFrameContext, MessageView } from './message-view.tsx'
import { type Outgoing, NO_REQUEST, type OpenSession, isVoiceCallRunning } from './session-state.ts'
import type { SessionReader } from './session-reader.ts'
import { OFFLINE_EXPLAINED, isOffline } from './text-labels.ts'
import type { TurnDetail } from './turn-details.ts'
import { TurnView, getAuthorName } from './turn-view.tsx'
import { VirtualTranscript, estimateTurnHeight } from './virtual-transcript.tsx'
import { Loading } from '../ui/query-state.tsx'

interface TranscriptViewProps {
  readonly open: OpenSession
  readonly reader: SessionReader
  /** The turn of the current search result. */
  readonly found?: TranscriptTurn | undefined
  /** Time and cost of turns by question, if loaded. */
  readonly details?: ReadonlyMap<number, TurnDetail>
}

type TranscriptRow = TranscriptTurn | Outgoing

export function TranscriptView({ open, reader, found, details }: TranscriptViewProps) {
  const { session, transcript, outbox, earlier, request, connection } = open
  const { empty } = use(AnswerFrameContext)
  const turns = useMemo(() => listTurns(transcript), [transcript])
  const rows = useMemo((): readonly TranscriptRow[] => [...turns, ...outbox], [turns, outbox])
  const last = turns.at(-1)
  const isSending = outbox.some(({ state }) => state !== 'failed')
  const mayWrite = session.mayWrite && session.status !== 'ended'
  const actions = mayWrite && !isSending ? reader : undefined
  return (
    <>
      <VirtualTranscript
        rows={rows}
        getKey={getRowKey}
        estimate={estimateHeight}
        foundIndex={found && turns.indexOf(found)}
        lastSentKey={outbox.at(-1)?.key}
        onTop={() => earlier === 'available' && reader.showEarlier()}
        top={
          rows.length === 0 ? (
            (empty ?? <EmptyTranscript session={session} />)
          ) : (
            <EarlierMessages state={earlier} onAgain={reader.showEarlier} />
          )
        }
      >
        {(row) =>
          'parts' in row ? (
            <TurnView
              turn={row}
              agent={session.agentName ?? session.agentSlug}
              person={getAuthorName(session)}
              request={row === last ? request : NO_REQUEST}
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

const getRowKey = ({ key }: TranscriptRow) => key

const OUTGOING_HEIGHT = 80

const estimateHeight = (row: TranscriptRow): number =>
  'parts' in row ? estimateTurnHeight(row) : OUTGOING_HEIGHT

function EarlierMessages({ state, onAgain }: { state: OpenSession['earlier']; onAgain: () => void }) {
  if (state === 'failed') return <Button onClick={onAgain}>Could not load earlier messages. Try again</Button>
  return state === 'none' ? null : <p className="text-soft text-sm">Loading earlier messages…</p>
}

function EmptyTranscript({ session }: { session: SessionView }) {
  if (isVoiceCallRunning(session)) {
    return (
      <p className="text-ink w-full py-18 font-serif text-xl lg:ps-30">
        A call is running or just ended. Its transcript follows.
      </p>
    )
  }
  return (
    <NoMessages mayWrite={session.mayWrite}>
      <OfflineNote session={session} />
    </NoMessages>
  )
}

export const OfflineNote = ({ session }: { session: Pick<SessionView, 'provider' | 'model'> }) =>
  isOffline(session) && <p className="mt-2">{OFFLINE_EXPLAINED}</p>

export const NoMessages = ({ mayWrite, children }: { mayWrite: boolean; children?: ReactNode }) => (
  <div className="text-soft w-full py-18 text-sm leading-6 lg:ps-30">
    <p className="text-ink font-serif text-xl">No messages yet.</p>
    {mayWrite && (
      <p className="mt-2">Write below to start. Everything is saved; you can leave and come back.</p>
    )}
    {children}
  </div>
)

interface OutgoingViewProps {
  readonly outgoing: Outgoing
  /** Set if it can be sent again. */
  readonly onSendAgain: (() => void) | undefined
  readonly onDiscard: () => void
}

function OutgoingView({ outgoing, onSendAgain, onDiscard }: OutgoingViewProps) {
  const { text, state, reason } = outgoing
  return (
    <MessageView role="user" name="You" text={text} busy={state === 'sending'}>
      {state === 'failed' ? (
        <div role="alert" className="text-sm">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="text-alarm">Not sent —</span>
            {onSendAgain && <Button onClick={onSendAgain}>Try again</Button>}
            <Button variant="ghost" onClick={onDiscard}>
              Discard
            </Button>
          </p>
          {reason && <p className="text-soft mt-1">{reason}</p>}
        </div>
      ) : (
        <Loading>Sending…</Loading>
      )}
    </MessageView>
  )
}

/** Long enough for a screen reader to announce, short enough not to be found twice. */
const ANNOUNCED_MS = 10_000

/** Announces an answer to screen readers once it is complete. */
function AnswerAnnouncer({ turn }: { turn: TranscriptTurn | undefined }) {
  const [announced, setAnnounced] = useState(() => ({ ...getTurnPosition(turn), text: '' }))

  useEffect(() => {
    if (!turn) return
    setAnnounced((last) => {
      const place = getTurnPosition(turn)
      if (place.key === last.key && place.running === last.running && place.callId === last.callId)
        return last
      return { ...place, text: place.running ? '' : toAnnouncement(turn) }
    })
  }, [turn])

  useEffect(() => {
    if (announced.text === '') return undefined
    const over = setTimeout(() => setAnnounced((last) => ({ ...last, text: '' })), ANNOUNCED_MS)
    return () => clearTimeout(over)
  }, [announced.text])

  return (
    <div role="status" aria-live="polite" aria-label="Latest answer" className="sr-only">
      {announced.text}
    </div>
  )
}

const getTurnPosition = (turn: TranscriptTurn | undefined) => ({
  key: turn?.key ?? 0,
  running: turn?.state === 'running',
  callId: turn?.waitsFor?.callId,
})

/** A failure is already an alert. */
function toAnnouncement({ parts, state, waitsFor }: TranscriptTurn): string {
  if (waitsFor) return `${waitsFor.tool} needs your approval: ${waitsFor.target}`
  const answer = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(' ')
  return state === 'cancelled' ? `${answer} Stopped.`.trim() : answer
}
