import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Root } from 'react-dom/client'
import { createApiClient } from '@parley/api-client'
import type { SessionId, SharedReflection } from '@parley/contracts'
import { createBrowserStorage } from './app/browser-storage.ts'
import { LeavePanel } from './talk/start-view.tsx'
import { ProblemView } from './talk/problem-view.tsx'
import { type TalkProblem, toTalkProblem } from './talk/problem.ts'
import {
  type LeaveQuestionProps,
  type TalkHost,
  TalkHostContext,
  parseSessionParam,
} from './talk/talk-host.ts'
import { TalkView } from './talk/talk-view.tsx'

/** The page that a share link opens. */
export const startVisit = (root: Root, linkToken: string): void =>
  root.render(<VisitorApp key={linkToken} linkToken={linkToken} />)

const client = createApiClient({ baseUrl: '', as: 'visitor' })

/** Lasts as long as the tab: a visitor may use a shared computer. */
const keep = createBrowserStorage(() => window.sessionStorage)

type Shared = Pick<SharedReflection, 'displayName' | 'channels' | 'isLearnedFrom'>

type Look =
  | { readonly kind: 'looking' }
  | { readonly kind: 'there'; readonly shared: Shared; readonly mayBegin: boolean }
  | { readonly kind: 'problem'; readonly problem: TalkProblem }

/** The visitor's page: the name of the reflection and the conversation. */
function VisitorApp({ linkToken }: { linkToken: string }) {
  const { look, refresh } = useLook(linkToken)
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
      refresh,
      sessionId,
      openSession,
      LeaveQuestion,
    }),
    [linkToken, name, hasVoice, isLearnedFrom, mayBegin, refresh, sessionId, openSession, LeaveQuestion],
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
          {look.kind === 'problem' && <ProblemView problem={look.problem} ways={{ again: refresh }} />}
        </main>
      </div>
    </TalkHostContext>
  )
}

/** The reflection behind the link. The view that shows a problem retries. */
function useLook(linkToken: string) {
  const [look, setLook] = useState<Look>({ kind: 'looking' })
  const refresh = useCallback(async () => {
    const next = await lookAt(linkToken, sessionInPage())
    setLook((now) => {
      if (next.kind !== 'problem' || !isOpen(now)) return next
      return next.problem.kind === 'link-invalid' ? { ...now, mayBegin: false } : now
    })
  }, [linkToken])
  useEffect(() => void refresh(), [refresh])
  return { look, refresh }
}

/** An open conversation stays on screen, even when the link no longer works. */
const isOpen = (look: Look): look is Extract<Look, { kind: 'there' }> =>
  look.kind === 'there' && sessionInPage() !== undefined

async function lookAt(linkToken: string, session: SessionId | undefined): Promise<Look> {
  try {
    const shared = await client.visits.look(linkToken)
    if (shared.isReady || session !== undefined) return { kind: 'there', shared, mayBegin: shared.isPublic }
    // A new object each time, so the view retries each time.
    const problem: TalkProblem = shared.isPublic
      ? { kind: 'public-stale', differs: [] }
      : { kind: 'nothing-public' }
    return { kind: 'problem', problem }
  } catch (failure) {
    const problem = toTalkProblem(failure)
    const begun = problem.kind === 'link-invalid' && session && (await sharedOfSession(session))
    return begun ? { kind: 'there', shared: begun, mayBegin: false } : { kind: 'problem', problem }
  }
}

/** When a link stops working, conversations that started with it stay readable. */
const sharedOfSession = (sessionId: SessionId): Promise<Shared | undefined> =>
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

/** Asks before the browser's Back button ends a running call. */
function VisitorLeaveQuestion({ isOn, askBeforeMove }: VisitorLeaveQuestionProps) {
  const [move, setMove] = useState<() => void>()
  useEffect(() => (isOn ? askBeforeMove((go) => setMove(() => go)) : undefined), [isOn, askBeforeMove])
  // A call that ended by itself shows its summary.
  useEffect(() => {
    if (!isOn) setMove(undefined)
  }, [isOn])
  return (
    <LeavePanel isAsked={move !== undefined} onStay={() => setMove(undefined)} onLeave={() => move?.()}>
      Leaving ends the call.
    </LeavePanel>
  )
}

/** Called instead of a browser navigation; `go` performs it. */
type AskBeforeMove = (ask: (go: () => void) => void) => () => void

/** The session in the address, so a reload finds it. */
function useVisitorAddress() {
  const [sessionId, setSessionId] = useState(sessionInPage)
  const asking = useRef<Parameters<AskBeforeMove>[0]>(undefined)
  useEffect(() => {
    const onMove = () => {
      const named = sessionInPage()
      const ask = asking.current
      if (!ask || named === sessionId) return setSessionId(named)
      // The browser has already navigated, so restore the address until the person answers.
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
  parseSessionParam(Object.fromEntries(new URLSearchParams(window.location.search))).session
