import { type ReactNode, useCallback, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import type { SessionId } from '@parley/contracts'
import { focusIfLost } from '../ui/focus.ts'
import { useWindowEvent } from '../ui/use-window-event.ts'
import { MessageView } from '../session/message-view.tsx'
import { loadLastMessages } from '../session/load-messages.ts'
import { isVoiceCallRunning } from '../session/session-state.ts'
import { useFollowEnd } from '../session/use-follow-end.ts'
import { PermissionsView } from './permissions.tsx'
import { CallControls } from './call/call-controls.tsx'
import { type CallLine, countAnswers, listHeardLines, isCallActive, isCallFinal } from './call/call-state.ts'
import type { VoiceCall } from './call/create-call.ts'
import { CitationsView } from './citations/citations-view.tsx'
import { SummaryView, collectEvidence, listUsedSources } from './summary.tsx'
import { useTalkHost } from './talk-host.ts'
import { ProblemView } from './problem-view.tsx'
import { neverPoll, useTalkSession } from './use-talk-session.ts'

interface CallPageProps {
  readonly call: VoiceCall
  readonly isOffRecord: boolean
  readonly onType: () => void
  readonly onContinue: (sessionId: SessionId) => void
  readonly onNew: () => void
}

/** A voice call, from its start to its summary. */
export function CallPage({ call, isOffRecord, onType, onContinue, onNew }: CallPageProps) {
  const { client, name, LeaveGuard } = useTalkHost()
  const state = useSyncExternalStore(call.subscribe, call.state)
  const { phase, lines, sessionId, since, until } = state
  const isOver = phase.kind === 'over'
  // The browser's own prompt: a closing window cannot show ours.
  useWindowEvent('beforeunload', (event) => event.preventDefault(), isCallActive(phase))
  // Reads the call's current state: its session is known before the page renders it.
  const isOfCall = useCallback(
    (session?: SessionId) => session !== undefined && session === call.state().sessionId,
    [call],
  )
  // An off-the-record call has no stored session.
  const { state: stored } = useTalkSession(
    client,
    isOffRecord ? undefined : sessionId,
    isOver ? isVoiceCallRunning : neverPoll,
  )
  const session = stored.kind === 'open' ? stored.session : undefined
  useEffect(() => {
    if (isOver && isOffRecord && sessionId) void client.sessions.end(sessionId).catch(() => undefined)
  }, [client, isOver, isOffRecord, sessionId])
  const isStored = isOver && session !== undefined && !isVoiceCallRunning(session)
  useEffect(() => {
    if (isStored) void loadLastMessages(client, session).then(call.applyTranscript, () => undefined)
  }, [isStored, client, session, call])

  return (
    <CallView call={call}>
      <LeaveGuard isCallActive={isCallActive(phase)} isOfCall={isOfCall} />
      {phase.kind === 'failed' && (
        <ProblemView
          problem={phase.problem}
          actions={{ retry: call.begin, type: onType, new: onNew }}
          autoRetry={call.retry}
        />
      )}
      {lines.length === 0 && phase.kind !== 'failed' && !isOver && (
        <p className="text-soft m-auto max-w-sm text-center text-sm leading-6 text-pretty">
          {phase.kind === 'dropped' && phase.next === 'asks'
            ? 'Everything said so far is saved and appears in the transcript. If the call is open in another window, reconnecting moves it here.'
            : 'The conversation appears here live. Speak at any time to interrupt.'}
        </p>
      )}
      {isOver ? (
        <SummaryView
          title={phase.by === 'you' ? 'You ended the call' : 'Call ended'}
          durationMs={since === undefined || until === undefined ? 0 : until - since}
          answers={countAnswers(lines)}
          sources={listUsedSources(
            listHeardLines(lines).map(({ text, whole = text, citations }) => ({
              answer: whole,
              evidence: collectEvidence(citations),
            })),
            name,
          )}
          session={session}
          isOffRecord={isOffRecord}
          continuation={
            session?.status === 'active' && sessionId
              ? { isPending: isVoiceCallRunning(session), onContinue: () => onContinue(sessionId) }
              : undefined
          }
          onNew={onNew}
        />
      ) : (
        phase.kind === 'live' &&
        !isOffRecord && (
          <div className="mt-auto lg:ms-30">
            <PermissionsView session={session} />
          </div>
        )
      )}
    </CallView>
  )
}

interface CallViewProps {
  readonly call: VoiceCall
  /** Below the transcript: the summary, or an error. */
  readonly children: ReactNode
}

function CallView({ call, children }: CallViewProps) {
  const state = useSyncExternalStore(call.subscribe, call.state)
  const { box, keep } = useFollowEnd()
  useLayoutEffect(keep)
  const isOpen = !isCallFinal(state.phase)
  // The focused button often disappears with the phase. Focus on End could hang up by a second Enter.
  useEffect(() => focusIfLost(box.current), [box, state.phase.kind])
  return (
    <>
      <div
        ref={box}
        role="log"
        aria-label="Transcript"
        // A screen reader would speak it into the microphone.
        aria-live={isOpen ? 'off' : 'polite'}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 outline-offset-[-3px] sm:px-8"
      >
        <div className="mx-auto flex min-h-full max-w-[38rem] flex-col gap-5 lg:max-w-[45.5rem]">
          {listHeardLines(state.lines).map((line) => (
            <LineView key={line.id} line={line} />
          ))}
          {children}
        </div>
      </div>
      {isOpen && <CallControls call={call} state={state} />}
    </>
  )
}

function LineView({ line: { who, text, isCut, whole = text, citations } }: { line: CallLine }) {
  const { name } = useTalkHost()
  const isYou = who === 'you'
  return (
    <MessageView role={isYou ? 'user' : 'assistant'} name={isYou ? 'You' : name}>
      <p className="font-serif text-[1.0625rem] leading-[1.65rem] wrap-anywhere whitespace-pre-wrap">
        {text}
        {isCut && (
          <span className="text-soft" title="Heard up to here">
            — <span className="font-sans text-sm">interrupted</span>
          </span>
        )}
      </p>
      {citations && <CitationsView answer={whole} citations={citations} />}
    </MessageView>
  )
}
