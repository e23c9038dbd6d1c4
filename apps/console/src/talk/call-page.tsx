import { type ReactNode, useCallback, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import type { SessionId } from '@parley/contracts'
import { lastMessages } from '../session/message-pages.ts'
import { Entry } from '../session/turn-view.tsx'
import { useFollowEnd } from '../session/use-follow-end.ts'
import { focusIfLost } from '../ui/focus-if-lost.ts'
import { AllowedView } from './allowed-view.tsx'
import { CallControls } from './call/call-controls.tsx'
import { type CallLine, type CallState, answersIn, heardLines, isOn, isStill } from './call/call-state.ts'
import type { Call } from './call/create-call.ts'
import { CitedView } from './citations/cited-view.tsx'
import { SummaryView } from './summary-view.tsx'
import { foundIn, sourcesIn } from './summary.ts'
import { useTalkHost } from './talk-host.ts'
import { TroubleView } from './trouble-view.tsx'
import { isNotWaitedFor, isTranscriptPending, useTalkSession } from './use-talk-session.ts'

interface CallPageProps {
  readonly call: Call
  readonly isOffRecord: boolean
  readonly onType: () => void
  readonly onGoOn: (sessionId: SessionId) => void
  readonly onNew: () => void
}

/** A spoken conversation from its first word to its summary. */
export function CallPage({ call, isOffRecord, onType, onGoOn, onNew }: CallPageProps) {
  const { client, name, LeaveQuestion } = useTalkHost()
  const state = useSyncExternalStore(call.subscribe, call.state)
  const { phase, lines, sessionId } = state
  const isOver = phase.kind === 'over'
  useAskedBeforeClosing(isOn(phase))
  // Of the call as it is now: it names its session before the page is drawn with it.
  const isItsOwn = useCallback(
    (named?: SessionId) => named !== undefined && named === call.state().sessionId,
    [call],
  )
  // Off the record there is no session to ask for.
  const { known } = useTalkSession(
    client,
    isOffRecord ? undefined : sessionId,
    isOver ? isTranscriptPending : isNotWaitedFor,
  )
  const session = known.kind === 'there' ? known.session : undefined
  useEffect(() => {
    if (isOver && isOffRecord && sessionId) void client.sessions.end(sessionId).catch(() => undefined)
  }, [client, isOver, isOffRecord, sessionId])
  const isKept = isOver && session !== undefined && !isTranscriptPending(session)
  useEffect(() => {
    if (isKept) void lastMessages(client, session).then(call.learn, () => undefined)
  }, [isKept, client, session, call])

  return (
    <CallView call={call}>
      <LeaveQuestion isOn={isOn(phase)} isItsOwn={isItsOwn} />
      {phase.kind === 'failed' && (
        <TroubleView
          trouble={phase.trouble}
          ways={{ again: call.begin, type: onType, new: onNew }}
          byItself={call.tryAgain}
        />
      )}
      {lines.length === 0 && phase.kind !== 'failed' && !isOver && (
        <p className="text-soft m-auto max-w-sm text-center text-sm leading-6 text-pretty">
          {phase.kind === 'dropped' && phase.next === 'asks'
            ? 'What was said so far is kept and comes with the transcript. If the call is on in another window, reconnecting takes it over from there.'
            : 'What is said appears here as it is said. Speak over it to interrupt.'}
        </p>
      )}
      {isOver ? (
        <SummaryView
          title={phase.by === 'you' ? 'You ended the call' : 'The call is over'}
          lastedMs={lastedOf(state)}
          answers={answersIn(lines)}
          sources={sourcesIn(
            heardLines(lines).map(({ text, whole = text, citations }) => ({
              answer: whole,
              found: foundIn(citations),
            })),
            name,
          )}
          session={session}
          isOffRecord={isOffRecord}
          goOn={
            session?.status === 'active' && sessionId
              ? { waits: isTranscriptPending(session), onGoOn: () => onGoOn(sessionId) }
              : undefined
          }
          onNew={onNew}
        />
      ) : (
        phase.kind === 'live' &&
        !isOffRecord && (
          <div className="mt-auto lg:ms-30">
            <AllowedView session={session} />
          </div>
        )
      )}
    </CallView>
  )
}

const lastedOf = ({ since, until }: CallState): number =>
  since === undefined || until === undefined ? 0 : until - since

/** By the browser, in its own words: a window that is closed asks nothing of ours. */
function useAskedBeforeClosing(isCallOn: boolean) {
  useEffect(() => {
    if (!isCallOn) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isCallOn])
}

interface CallViewProps {
  readonly call: Call
  /** Below what was said: the summary, or what went wrong. */
  readonly children: ReactNode
}

/** A call while it is on: what is said, who speaks, and what can be done. */
function CallView({ call, children }: CallViewProps) {
  const state = useSyncExternalStore(call.subscribe, call.state)
  const { box, keep } = useFollowEnd()
  useLayoutEffect(keep)
  const isSpoken = !isStill(state.phase)
  // What had the keys is often gone with the phase; on End they would hang up where Enter is pressed twice.
  useEffect(() => focusIfLost(box.current), [box, state.phase.kind])
  return (
    <>
      <div
        ref={box}
        role="log"
        aria-label="Transcript"
        // It is heard already: read aloud, it would be spoken into the microphone as well.
        aria-live={isSpoken ? 'off' : 'polite'}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 outline-offset-[-3px] sm:px-8"
      >
        <div className="mx-auto flex min-h-full max-w-[38rem] flex-col gap-5 lg:max-w-[45.5rem]">
          {heardLines(state.lines).map((line) => (
            <LineView key={line.id} line={line} />
          ))}
          {children}
        </div>
      </div>
      {isSpoken && <CallControls call={call} state={state} />}
    </>
  )
}

function LineView({ line: { who, text, isCut, whole = text, citations } }: { line: CallLine }) {
  const { name } = useTalkHost()
  const isYou = who === 'you'
  return (
    <Entry role={isYou ? 'user' : 'assistant'} name={isYou ? 'You' : name}>
      <p className="font-serif text-[1.0625rem] leading-[1.65rem] wrap-anywhere whitespace-pre-wrap">
        {text}
        {isCut && (
          <span className="text-soft" title="You heard it until here">
            — <span className="font-sans text-sm">interrupted</span>
          </span>
        )}
      </p>
      {citations && <CitedView answer={whole} citations={citations} />}
    </Entry>
  )
}
