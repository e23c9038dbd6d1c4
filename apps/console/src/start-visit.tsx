import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Root } from 'react-dom/client'
import { createApiClient } from '@parley/api-client'
import type { SessionId, SharedReflection } from '@parley/contracts'
import { createKeep } from './app/keep.ts'
import { LeavePanel } from './talk/leave-panel.tsx'
import { sessionInAddress } from './talk/session-in-address.ts'
import { type LeaveQuestionProps, type TalkHost, TalkHostContext } from './talk/talk-host.ts'
import { TalkView } from './talk/talk-view.tsx'
import { TroubleView } from './talk/trouble-view.tsx'
import { type Trouble, troubleOf } from './talk/trouble.ts'

/** The page of a link, for whoever has it. */
export const startVisit = (root: Root, linkToken: string): void =>
  root.render(<VisitorApp key={linkToken} linkToken={linkToken} />)

const client = createApiClient({ baseUrl: '', as: 'visitor' })

/** For as long as the tab is open: who comes by a link may sit at anybody's computer. */
const keep = createKeep(() => window.sessionStorage)

type Shared = Pick<SharedReflection, 'displayName' | 'channels' | 'isLearnedFrom'>

type Look =
  | { readonly kind: 'looking' }
  | { readonly kind: 'there'; readonly shared: Shared; readonly mayBegin: boolean }
  | { readonly kind: 'trouble'; readonly trouble: Trouble }

/** The page that a link leads to: whom one talks with, and the talk. */
function VisitorApp({ linkToken }: { linkToken: string }) {
  const { look, lookAgain } = useLook(linkToken)
  const { sessionId, openSession, askBeforeMove } = useVisitorAddress()
  const name = look.kind === 'there' ? look.shared.displayName : ''
  const hasVoice = look.kind === 'there' && look.shared.channels.includes('voice')
  const isLearnedFrom = look.kind === 'there' && look.shared.isLearnedFrom
  const mayBegin = look.kind === 'there' && look.mayBegin
  const LeaveQuestion = useCallback(
    (props: LeaveQuestionProps) => <VisitorLeaveQuestion {...props} askBeforeMove={askBeforeMove} />,
    [askBeforeMove],
  )
  const host = useMemo(
    (): TalkHost => ({
      who: 'visitor',
      name,
      client,
      keep,
      start: () => client.visits.start(linkToken),
      speak: () => client.visits.speak(linkToken),
      hasVoice,
      isLearnedFrom,
      mayBegin,
      lookAgain,
      sessionId,
      openSession,
      LeaveQuestion,
    }),
    [linkToken, name, hasVoice, isLearnedFrom, mayBegin, lookAgain, sessionId, openSession, LeaveQuestion],
  )
  return (
    <TalkHostContext value={host}>
      <title>{name === '' ? 'Parley' : `${name} · Parley`}</title>
      <div className="flex h-dvh flex-col pt-[env(safe-area-inset-top)]">
        <header className="border-line flex min-h-14 items-center gap-3 border-b px-4 sm:px-8">
          <h1 className="min-w-0 flex-1 truncate font-serif text-lg">{name}</h1>
          <p className="text-soft text-sm">Parley</p>
        </header>
        <main className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          {look.kind === 'there' && <TalkView />}
          {look.kind === 'looking' && <p className="animate-late text-soft m-auto text-sm">One moment…</p>}
          {look.kind === 'trouble' && <TroubleView trouble={look.trouble} ways={{ again: lookAgain }} />}
        </main>
      </div>
    </TalkHostContext>
  )
}

/** Whom the link leads to; what is not ready yet is looked at again by who shows it. */
function useLook(linkToken: string) {
  const [look, setLook] = useState<Look>({ kind: 'looking' })
  const lookAgain = useCallback(async () => {
    const next = await lookAt(linkToken, sessionInPage())
    setLook((now) => {
      if (next.kind !== 'trouble' || !isOpen(now)) return next
      return next.trouble.kind === 'link-invalid' ? { ...now, mayBegin: false } : now
    })
  }, [linkToken])
  useEffect(() => void lookAgain(), [lookAgain])
  return { look, lookAgain }
}

/** What is being read or said stays, whatever has become of the link. */
const isOpen = (look: Look): look is Extract<Look, { kind: 'there' }> =>
  look.kind === 'there' && sessionInPage() !== undefined

async function lookAt(linkToken: string, session: SessionId | undefined): Promise<Look> {
  try {
    const shared = await client.visits.look(linkToken)
    if (shared.isReady || session !== undefined) return { kind: 'there', shared, mayBegin: shared.isPublic }
    // Another object each time: who shows it looks again for each.
    const trouble: Trouble = shared.isPublic
      ? { kind: 'public-stale', differs: [] }
      : { kind: 'nothing-public' }
    return { kind: 'trouble', trouble }
  } catch (failure) {
    const trouble = troubleOf(failure)
    const begun = trouble.kind === 'link-invalid' && session && (await sharedIn(session))
    return begun ? { kind: 'there', shared: begun, mayBegin: false } : { kind: 'trouble', trouble }
  }
}

/** A link that lets nobody in any more leaves those in who are. */
const sharedIn = (sessionId: SessionId): Promise<Shared | undefined> =>
  client.sessions.get(sessionId).then(
    ({ reflection, channel }) =>
      reflection && {
        displayName: reflection.displayName,
        channels: ['text', channel],
        isLearnedFrom: false,
      },
    () => undefined,
  )

interface VisitorLeaveQuestionProps extends LeaveQuestionProps {
  readonly askBeforeMove: AskBeforeMove
}

/** Asks before a running call is left by the browser's Back key. */
function VisitorLeaveQuestion({ isOn, askBeforeMove }: VisitorLeaveQuestionProps) {
  const [move, setMove] = useState<() => void>()
  useEffect(() => (isOn ? askBeforeMove((go) => setMove(() => go)) : undefined), [isOn, askBeforeMove])
  // A call that is over by itself has a summary to read.
  useEffect(() => {
    if (!isOn) setMove(undefined)
  }, [isOn])
  return (
    <LeavePanel isAsked={move !== undefined} onStay={() => setMove(undefined)} onLeave={() => move?.()}>
      The call is over once you leave it.
    </LeavePanel>
  )
}

/** Asked in place of a move by the browser's own keys; `go` makes it after all. */
type AskBeforeMove = (ask: (go: () => void) => void) => () => void

/** Of the session that the address names: a reload finds it there. */
function useVisitorAddress() {
  const [sessionId, setSessionId] = useState(sessionInPage)
  const asking = useRef<Parameters<AskBeforeMove>[0]>(undefined)
  useEffect(() => {
    const onMove = () => {
      const named = sessionInPage()
      const ask = asking.current
      if (!ask || named === sessionId) return setSessionId(named)
      // The browser has moved already, so the address is put back until there is an answer.
      window.history.pushState(null, '', addressOf(sessionId))
      return ask(() => {
        asking.current = undefined
        window.history.back()
      })
    }
    window.addEventListener('popstate', onMove)
    return () => window.removeEventListener('popstate', onMove)
  }, [sessionId])
  const openSession = useCallback((session: SessionId | undefined) => {
    window.history.pushState(null, '', addressOf(session))
    setSessionId(session)
  }, [])
  const askBeforeMove = useCallback<AskBeforeMove>((ask) => {
    asking.current = ask
    return () => {
      if (asking.current === ask) asking.current = undefined
    }
  }, [])
  return { sessionId, openSession, askBeforeMove }
}

const addressOf = (session: SessionId | undefined): string => {
  const { pathname } = window.location
  return session ? `${pathname}?session=${session}` : pathname
}

const sessionInPage = (): SessionId | undefined =>
  sessionInAddress(Object.fromEntries(new URLSearchParams(window.location.search))).session
