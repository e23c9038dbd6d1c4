import { turnsOf } from '@parley/api-client'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { AnswerAnnouncer } from './answer-announcer.tsx'
import { isOffline, OFFLINE_EXPLAINED } from './model-label.ts'
import { OutgoingView } from './outgoing-view.tsx'
import type { SessionReader } from './session-reader.ts'
import { NOTHING_ASKED, type OpenSession } from './session-state.ts'
import { TurnView } from './turn-view.tsx'
import { useStickToBottom } from './use-stick-to-bottom.ts'

export function TranscriptView({ open, reader }: { open: OpenSession; reader: SessionReader }) {
  const { session, transcript, outbox, earlier, asking } = open
  const turns = turnsOf(transcript)
  const last = turns.at(-1)
  const isOnItsWay = outbox.some(({ state }) => state !== 'failed')
  const isEnded = session.status === 'ended'
  const actions = isEnded || isOnItsWay ? undefined : reader
  const { box, atBottom, toBottom } = useStickToBottom(open, turns[0]?.key)
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-label="Transcript"
        aria-live="off"
        tabIndex={0}
        className="h-full overflow-y-auto px-4 py-8 outline-offset-[-3px] [overflow-anchor:none] sm:px-8"
      >
        <div className="mx-auto flex max-w-[38rem] flex-col gap-6 lg:max-w-[45.5rem]">
          {earlier !== 'none' && (
            <Button className="self-center" disabled={earlier === 'loading'} onClick={reader.showEarlier}>
              {earlier === 'failed' ? 'Could not load — try again' : 'Show earlier'}
            </Button>
          )}
          {turns.length === 0 && outbox.length === 0 && <EmptyTranscript offline={isOffline(session)} />}
          {turns.map((turn) => (
            <TurnView
              key={turn.key}
              turn={turn}
              agent={session.agentSlug}
              asking={turn === last ? asking : NOTHING_ASKED}
              actions={turn === last ? actions : undefined}
            />
          ))}
          {outbox.map((outgoing) => (
            <OutgoingView
              key={outgoing.key}
              outgoing={outgoing}
              onSendAgain={isEnded ? undefined : () => reader.sendAgain(outgoing.key)}
              onDiscard={() => reader.discard(outgoing.key)}
            />
          ))}
        </div>
      </div>
      <AnswerAnnouncer turn={last} />
      {!atBottom && (
        <Button
          className="bg-paper absolute start-1/2 bottom-4 -translate-x-1/2 shadow-sm"
          onClick={toBottom}
        >
          <Icon name="down" />
          Jump to latest
        </Button>
      )}
    </div>
  )
}

function EmptyTranscript({ offline }: { offline: boolean }) {
  return (
    <div className="text-soft py-10 text-sm leading-6 lg:ps-30">
      <p className="text-ink font-serif text-xl">Nothing has been said yet.</p>
      <p className="mt-2">
        Write below to begin. Everything is kept as it is said; you can leave and come back.
      </p>
      {offline && <p className="mt-2">{OFFLINE_EXPLAINED}</p>}
    </div>
  )
}
