import {
  type ReactNode,
  Suspense,
  lazy,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { SessionId, SessionView } from '@parley/contracts'
import { createBrowserStorage } from '../app/browser-storage.ts'
import { CallPage } from './call-page.tsx'
import { type VoiceCall, createCall } from './call/create-call.ts'
import { askMicrophone, openLine } from './call/open-line.ts'
import { ProblemView } from './problem-view.tsx'
import { type TalkProblem, toTalkProblem } from './problem.ts'
import { StartView } from './start-view.tsx'
import { TalkHostContext, type TalkOptions, useTalkHost } from './talk-host.ts'
import { isVoiceCallRunning } from '../session/session-state.ts'
import { neverPoll, useTalkSession } from './use-talk-session.ts'
import { Loading } from '../ui/query-state.tsx'

/** Text conversations are a chunk of their own: most visitors speak. */
const loadTypedView = () => import('./typed-view.tsx')
const TypedView = lazy(() => loadTypedView().then((chunk) => ({ default: chunk.TypedView })))

type Talk =
  | { readonly kind: 'begin' }
  | { readonly kind: 'starting'; readonly options: TalkOptions }
  | { readonly kind: 'refused'; readonly options: TalkOptions; readonly problem: TalkProblem }
  | { readonly kind: 'call'; readonly call: VoiceCall; readonly options: TalkOptions }
  | {
      readonly kind: 'typed'
      readonly sessionId: SessionId
      readonly options: TalkOptions
      readonly greeting?: string | undefined
    }
  /** From the address; its kind is not known yet. */
  | { readonly kind: 'resumed'; readonly sessionId: SessionId }

const BEGIN: Talk = { kind: 'begin' }

/** Off-the-record conversations store nothing in the browser. */
const NO_STORAGE = createBrowserStorage(() => {
  throw new Error('Nothing is stored off the record.')
})

/** A conversation, from the start screen to its end. */
export function TalkView() {
  const { talk, begin, speak, type, openTyped } = useTalk()
  switch (talk.kind) {
    case 'begin':
    case 'starting':
      return (
        <StartView
          isStarting={talk.kind === 'starting'}
          onSpeak={(options) => speak(options).begin()}
          onType={(options) => void type(options)}
        />
      )
    case 'refused':
      return (
        <ProblemView problem={talk.problem} actions={{ retry: () => type(talk.options, talk), new: begin }} />
      )
    case 'call':
      return (
        <ConversationFrame options={talk.options}>
          <CallPage
            call={talk.call}
            isOffRecord={talk.options.isOffRecord}
            onType={() => void type(talk.options)}
            onContinue={(sessionId) => openTyped(sessionId, talk.options)}
            onNew={begin}
          />
        </ConversationFrame>
      )
    case 'typed':
      return (
        <ConversationFrame options={talk.options}>
          <TypedTalk talk={talk} speak={speak} onNew={begin} />
        </ConversationFrame>
      )
    case 'resumed':
      return (
        <ResumedTalk
          key={talk.sessionId}
          sessionId={talk.sessionId}
          onCall={(session) => speak(toOptions(session), session)}
          onTyped={(session) => openTyped(talk.sessionId, toOptions(session))}
          onNew={begin}
        />
      )
    default:
      return talk satisfies never
  }
}

/** The open conversation, and the ways to start another one. */
function useTalk() {
  const host = useTalkHost()
  const { sessionId: inAddress, openSession, client } = host
  const [talk, setTalk] = useState<Talk>(() =>
    inAddress ? { kind: 'resumed', sessionId: inAddress } : BEGIN,
  )

  /** Rises with each choice; a session started for an earlier choice is not opened. */
  const startCount = useRef(0)
  useEffect(() => {
    startCount.current += 1
    setTalk((now) => {
      if (inAddress && getSessionId(now) === inAddress) return now
      if (now.kind === 'call') now.call.leave()
      return inAddress ? { kind: 'resumed', sessionId: inAddress } : BEGIN
    })
  }, [inAddress])

  const call = talk.kind === 'call' ? talk.call : undefined
  useEffect(() => () => call?.leave(), [call])

  useEffect(() => {
    // In the background, so that a switch to text does not wait.
    loadTypedView().catch(() => undefined)
    return () => void (startCount.current += 1)
  }, [])

  const begin = useCallback(() => {
    startCount.current += 1
    openSession(undefined)
    setTalk(BEGIN)
  }, [openSession])

  const speak = (options: TalkOptions, session?: StartedSession): VoiceCall => {
    startCount.current += 1
    const newCall = createCall({
      sessions: client.sessions,
      start: () => host.startVoiceConversation(options),
      session,
      onSession: openSession,
      askMicrophone: () => askMicrophone(navigator.mediaDevices),
      openLine,
      now: Date.now,
    })
    setTalk({ kind: 'call', call: newCall, options })
    return newCall
  }

  const type = async (options: TalkOptions, shown: Talk = { kind: 'starting', options }) => {
    const thisStart = (startCount.current += 1)
    setTalk(shown)
    try {
      const { sessionId, firstMessage: greeting } = await host.startText(options)
      if (thisStart !== startCount.current) {
        await client.sessions.end(sessionId)
        return
      }
      setTalk({ kind: 'typed', sessionId, options, greeting })
      openSession(sessionId)
    } catch (failure) {
      if (thisStart === startCount.current)
        setTalk({ kind: 'refused', options, problem: toTalkProblem(failure) })
    }
  }

  const openTyped = (sessionId: SessionId, options: TalkOptions) =>
    setTalk({ kind: 'typed', sessionId, options })

  return { talk, begin, speak, type, openTyped }
}

type StartedSession = Pick<SessionView, 'sessionId' | 'createdAt'>

const getSessionId = (talk: Talk): SessionId | undefined =>
  talk.kind === 'call' ? talk.call.state().sessionId : 'sessionId' in talk ? talk.sessionId : undefined

const toOptions = ({ reflection }: SessionView): TalkOptions => ({
  isOffRecord: reflection?.ingestion === 'off-record',
  isInterview: reflection?.mode === 'interview',
})

/** Names the interviewer in interviews, and shows a note off the record. */
function ConversationFrame({ options, children }: { options: TalkOptions; children: ReactNode }) {
  const host = useTalkHost()
  const { isInterview } = options
  const namedHost = useMemo(
    () => (isInterview ? { ...host, name: 'Interviewer' } : host),
    [host, isInterview],
  )
  return (
    <TalkHostContext value={namedHost}>
      {options.isOffRecord && (
        <p role="note" className="border-line bg-added border-b px-4 py-1.5 text-center text-sm">
          Off the record. Nothing is saved.
        </p>
      )}
      {children}
    </TalkHostContext>
  )
}

interface TypedTalkProps {
  readonly talk: Extract<Talk, { kind: 'typed' }>
  readonly speak: ReturnType<typeof useTalk>['speak']
  readonly onNew: () => void
}

function TypedTalk({ talk: { sessionId, options, greeting }, speak, onNew }: TypedTalkProps) {
  const { storage, hasVoice } = useTalkHost()
  const maySpeak = hasVoice || options.isInterview
  return (
    <Suspense fallback={<ConversationLoading />}>
      <TypedView
        key={sessionId}
        sessionId={sessionId}
        storage={options.isOffRecord ? NO_STORAGE : storage}
        greeting={greeting}
        speak={
          maySpeak
            ? {
                onSpeak: () => speak(options).begin(),
                onReconnect: (session) => speak(options, session).begin(),
              }
            : undefined
        }
        onNew={onNew}
      />
    </Suspense>
  )
}

interface ResumedTalkProps {
  readonly sessionId: SessionId
  readonly onCall: (session: SessionView) => void
  readonly onTyped: (session: SessionView) => void
  readonly onNew: () => void
}

/** A conversation opened by reload or link. Offers to reconnect if its call may still be running. */
function ResumedTalk({ sessionId, onCall, onTyped, onNew }: ResumedTalkProps) {
  const { client } = useTalkHost()
  const { state, refresh } = useTalkSession(client, sessionId, neverPoll)
  const proceed = useEffectEvent(() => {
    if (state.kind !== 'open') return
    const { session } = state
    if (isVoiceCallRunning(session) && session.status === 'active' && session.mayWrite) onCall(session)
    else onTyped(session)
  })
  useEffect(() => proceed(), [state])
  if (state.kind === 'failed') {
    return <ProblemView problem={toTalkProblem(state.failure)} actions={{ retry: refresh, new: onNew }} />
  }
  return <ConversationLoading />
}

const ConversationLoading = () => <Loading className="m-auto">Loading the conversation…</Loading>
