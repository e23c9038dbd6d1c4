import { type ReactNode, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { SessionId, SessionView } from '@parley/contracts'
import { createKeep } from '../app/keep.ts'
import { CallPage } from './call-page.tsx'
import { askMicrophone } from './call/ask-microphone.ts'
import { type Call, createCall } from './call/create-call.ts'
import { openLine } from './call/open-line.ts'
import { StartView } from './start-view.tsx'
import { TalkHostContext, type Wish, useTalkHost } from './talk-host.ts'
import { TroubleView } from './trouble-view.tsx'
import { type Trouble, troubleOf } from './trouble.ts'
import { TypedView } from './typed-view.tsx'
import { isNotWaitedFor, isTranscriptPending, useTalkSession } from './use-talk-session.ts'

type Talk =
  | { readonly kind: 'begin' }
  | { readonly kind: 'starting'; readonly wish: Wish }
  | { readonly kind: 'refused'; readonly wish: Wish; readonly trouble: Trouble }
  | { readonly kind: 'call'; readonly call: Call; readonly wish: Wish }
  | {
      readonly kind: 'typed'
      readonly sessionId: SessionId
      readonly wish: Wish
      readonly greeting?: string | undefined
    }
  /** As the address names it; what it is, is asked. */
  | { readonly kind: 'resumed'; readonly sessionId: SessionId }

const BEGIN: Talk = { kind: 'begin' }

/** Of what is off the record nothing stays in the browser either. */
const UNKEPT = createKeep(() => {
  throw new Error('Nothing is kept.')
})

/** A talk, from the choice of how to its end. */
export function TalkView() {
  const host = useTalkHost()
  const { sessionId: named, openSession, client } = host
  const [talk, setTalk] = useState<Talk>(() => (named ? { kind: 'resumed', sessionId: named } : BEGIN))

  /** Rises with whatever is wished next: what was being started for an earlier wish is not opened any more. */
  const wished = useRef(0)
  useEffect(() => {
    wished.current += 1
    setTalk((now) => {
      if (named && sessionIn(now) === named) return now
      if (now.kind === 'call') now.call.leave()
      return named ? { kind: 'resumed', sessionId: named } : BEGIN
    })
  }, [named])

  const call = talk.kind === 'call' ? talk.call : undefined
  useEffect(() => () => call?.leave(), [call])

  useEffect(() => () => void (wished.current += 1), [])

  const begin = useCallback(() => {
    wished.current += 1
    openSession(undefined)
    setTalk(BEGIN)
  }, [openSession])

  const speak = (wish: Wish, session?: Pick<SessionView, 'sessionId' | 'createdAt'>) => {
    wished.current += 1
    const made = createCall({
      sessions: client.sessions,
      start: () => host.speak(wish),
      session,
      onSession: openSession,
      askMicrophone: () => askMicrophone(navigator.mediaDevices),
      openLine,
      now: Date.now,
    })
    setTalk({ kind: 'call', call: made, wish })
    return made
  }
  const type = async (wish: Wish, meanwhile: Talk = { kind: 'starting', wish }) => {
    const mine = (wished.current += 1)
    setTalk(meanwhile)
    try {
      const { sessionId, firstMessage: greeting } = await host.start(wish)
      if (mine !== wished.current) {
        await client.sessions.end(sessionId)
        return
      }
      setTalk({ kind: 'typed', sessionId, wish, greeting })
      openSession(sessionId)
    } catch (failure) {
      if (mine === wished.current) setTalk({ kind: 'refused', wish, trouble: troubleOf(failure) })
    }
  }

  switch (talk.kind) {
    case 'begin':
    case 'starting':
      return (
        <StartView
          isStarting={talk.kind === 'starting'}
          onSpeak={(wish) => speak(wish).begin()}
          onType={(wish) => void type(wish)}
        />
      )
    case 'refused':
      return <TroubleView trouble={talk.trouble} ways={{ again: () => type(talk.wish, talk), new: begin }} />
    case 'call':
      return (
        <OnTerms wish={talk.wish}>
          <CallPage
            call={talk.call}
            isOffRecord={talk.wish.isOffRecord}
            onType={() => void type(talk.wish)}
            onGoOn={(sessionId) => setTalk({ kind: 'typed', sessionId, wish: talk.wish })}
            onNew={begin}
          />
        </OnTerms>
      )
    case 'typed':
      return (
        <OnTerms wish={talk.wish}>
          <TypedView
            key={talk.sessionId}
            sessionId={talk.sessionId}
            keep={talk.wish.isOffRecord ? UNKEPT : host.keep}
            greeting={talk.greeting}
            speak={
              host.hasVoice || talk.wish.isInterview
                ? {
                    onSpeak: () => speak(talk.wish).begin(),
                    onReconnect: (session) => speak(talk.wish, session).begin(),
                  }
                : undefined
            }
            onNew={begin}
          />
        </OnTerms>
      )
    case 'resumed':
      return (
        <ResumedTalk
          key={talk.sessionId}
          sessionId={talk.sessionId}
          onCall={(session) => speak(wishOf(session), session)}
          onTyped={(session) => setTalk({ kind: 'typed', sessionId: talk.sessionId, wish: wishOf(session) })}
          onNew={begin}
        />
      )
    default:
      return talk satisfies never
  }
}

const sessionIn = (talk: Talk): SessionId | undefined =>
  talk.kind === 'call' ? talk.call.state().sessionId : 'sessionId' in talk ? talk.sessionId : undefined

/** What it was begun as. */
const wishOf = ({ reflection }: SessionView): Wish => ({
  isOffRecord: reflection?.ingestion === 'off-record',
  isInterview: reflection?.mode === 'interview',
})

/** A conversation with what always holds in it: who asks in an interview is not whom it is of, and off the record is said so. */
function OnTerms({ wish, children }: { wish: Wish; children: ReactNode }) {
  const host = useTalkHost()
  const { isInterview } = wish
  const named = useMemo(() => (isInterview ? { ...host, name: 'Interviewer' } : host), [host, isInterview])
  return (
    <TalkHostContext value={named}>
      {wish.isOffRecord && (
        <p role="note" className="border-line bg-added border-b px-4 py-1.5 text-center text-sm">
          Off the record. Nothing that is said here is kept.
        </p>
      )}
      {children}
    </TalkHostContext>
  )
}

interface ResumedTalkProps {
  readonly sessionId: SessionId
  readonly onCall: (session: SessionView) => void
  readonly onTyped: (session: SessionView) => void
  readonly onNew: () => void
}

/** A conversation that was left, by a reload or a link: one's own call that may still be on is offered to be connected to. */
function ResumedTalk({ sessionId, onCall, onTyped, onNew }: ResumedTalkProps) {
  const { client } = useTalkHost()
  const { known, lookAgain } = useTalkSession(client, sessionId, isNotWaitedFor)
  const goOn = useEffectEvent(() => {
    if (known.kind !== 'there') return
    const { session } = known
    if (isTranscriptPending(session) && session.status === 'active' && session.mayWrite) onCall(session)
    else onTyped(session)
  })
  useEffect(() => goOn(), [known])
  if (known.kind === 'failed') {
    return <TroubleView trouble={troubleOf(known.failure)} ways={{ again: lookAgain, new: onNew }} />
  }
  return <p className="animate-late text-soft m-auto text-sm">Loading the conversation…</p>
}
