import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Root } from 'react-dom/client'
import { createApiClient } from '@parley/api-client'
import type { SessionId, SharedReflection } from '@parley/contracts'
import { createBrowserStorage } from './app/browser-storage.ts'
import { LeavePanel } from './talk/start-view.tsx'
import { ProblemView } from './talk/problem-view.tsx'
import { type TalkProblem, toTalkProblem } from './talk/problem.ts'
import { type LeaveGuardProps, type TalkHost, TalkHostContext, parseSessionParam } from './talk/talk-host.ts'
import { TalkView } from './talk/talk-view.tsx'
import { Loading } from './ui/query-state.tsx'
import { useWindowEvent } from './ui/use-window-event.ts'

/** The page that a share link opens. */
export const startVisit = (root: Root, linkToken: string): void =>
  root.render(<VisitorApp key={linkToken} linkToken={linkToken} />)

const client = createApiClient({ baseUrl: '', as: 'visitor' })

/** Lasts as long as the tab: a visitor may use a shared computer. */
const storage = createBrowserStorage(() => window.sessionStorage)

type Shared = Pick<SharedReflection, 'displayName' | 'channels' | 'isLearnedFrom'>

/** The loading of a shared reflection. */
type Visit =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly shared: Shared; readonly mayBegin: boolean }
  | { readonly kind: 'problem'; readonly problem: TalkProblem }

/** The visitor's page: the name of the reflection and the conversation. */
function VisitorApp({ linkToken }: { linkToken: string }) {
  const { visit, refresh } = useVisit(linkToken)
  const { sessionId, openSession, askBeforeMove } = useVisitorAddress()
  const name = visit.kind === 'open' ? visit.shared.displayName : ''
  const hasVoice = visit.kind === 'open' && visit.shared.channels.includes('voice')
  const isLearnedFrom = visit.kind === 'open' && visit.shared.isLearnedFrom
  const mayBegin = visit.kind === 'open' && visit.mayBegin
  const LeaveGuard = useCallback(
    (props: LeaveGuardProps) => <VisitorLeaveGuard {...props} askBeforeMove={askBeforeMove} />,
    [askBeforeMove],
  )
  const host = useMemo(
    (): TalkHost => ({
      who: 'visitor',
      name,
      client,
      storage,
      startText: () => client.visits.start(linkToken),
      startVoiceConversation: () => client.visits.speak(linkToken),
      hasVoice,
      isLearnedFrom,
      mayBegin,
      refresh,
      sessionId,
      openSession,
      LeaveGuard,
    }),
    [linkToken, name, hasVoice, isLearnedFrom, mayBegin, refresh, sessionId, openSession, LeaveGuard],
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
          {visit.kind === 'open' && <TalkView />}
          {visit.kind === 'loading' && <Loading className="m-auto">One moment…</Loading>}
          {visit.kind === 'problem' && <ProblemView problem={visit.problem} actions={{ retry: refresh }} />}
        </main>
      </div>
    </TalkHostContext>
  )
}

/** The reflection behind the link. The view that shows a problem retries. */
function useVisit(linkToken: string) {
  const [visit, setVisit] = useState<Visit>({ kind: 'loading' })
  const refresh = useCallback(async () => {
    const next = await loadVisit(linkToken, readSessionId())
    setVisit((now) => {
      if (next.kind !== 'problem' || !isOpen(now)) return next
      return next.problem.kind === 'link-invalid' ? { ...now, mayBegin: false } : now
    })
  }, [linkToken])
  useEffect(() => void refresh(), [refresh])
  return { visit, refresh }
}

/** An open conversation stays on screen, even when the link no longer works. */
const isOpen = (visit: Visit): visit is Extract<Visit, { kind: 'open' }> =>
  visit.kind === 'open' && readSessionId() !== undefined

async function loadVisit(linkToken: string, session: SessionId | undefined): Promise<Visit> {
  try {
    const shared = await client.visits.getSharedReflection(linkToken)
    if (shared.isReady || session !== undefined) return { kind: 'open', shared, mayBegin: shared.isPublic }
    // A new object each time, so the view retries each time.
    const problem: TalkProblem = shared.isPublic
      ? { kind: 'public-stale', differs: [] }
      : { kind: 'nothing-public' }
    return { kind: 'problem', problem }
  } catch (failure) {
    const problem = toTalkProblem(failure)
    const started = problem.kind === 'link-invalid' && session && (await findSharedReflection(session))
    return started ? { kind: 'open', shared: started, mayBegin: false } : { kind: 'problem', problem }
  }
}

/** When a link stops working, conversations that started with it stay readable. */
const findSharedReflection = (sessionId: SessionId): Promise<Shared | undefined> =>
  client.sessions.get(sessionId).then(
    ({ reflection, channel }) =>
      reflection && {
        displayName: reflection.displayName,
        channels: ['text', channel],
        isLearnedFrom: false,
      },
    () => undefined,
  )

interface VisitorLeaveGuardProps extends LeaveGuardProps {
  readonly askBeforeMove: AskBeforeMove
}

/** Asks before the browser's Back button ends a running call. */
function VisitorLeaveGuard({ isCallActive, askBeforeMove }: VisitorLeaveGuardProps) {
  const [move, setMove] = useState<() => void>()
  useEffect(
    () => (isCallActive ? askBeforeMove((go) => setMove(() => go)) : undefined),
    [isCallActive, askBeforeMove],
  )
  // A call that ended by itself shows its summary.
  useEffect(() => {
    if (!isCallActive) setMove(undefined)
  }, [isCallActive])
  return (
    <LeavePanel isOpen={move !== undefined} onStay={() => setMove(undefined)} onLeave={() => move?.()}>
      Leaving ends the call.
    </LeavePanel>
  )
}

/** Called instead of a browser navigation; `go` performs it. */
type AskBeforeMove = (ask: (go: () => void) => void) => () => void

/** The session in the address, so a reload finds it. */
function useVisitorAddress() {
  const [sessionId, setSessionId] = useState(readSessionId)
  const askFirst = useRef<Parameters<AskBeforeMove>[0]>(undefined)
  useWindowEvent('popstate', () => {
    const next = readSessionId()
    const ask = askFirst.current
    if (!ask || next === sessionId) return setSessionId(next)
    // The browser has already navigated, so restore the address until the person answers.
    window.history.pushState(null, '', toAddress(sessionId))
    return ask(() => {
      askFirst.current = undefined
      window.history.back()
    })
  })
  const openSession = useCallback((session: SessionId | undefined) => {
    window.history.pushState(null, '', toAddress(session))
    setSessionId(session)
  }, [])
  const askBeforeMove = useCallback<AskBeforeMove>((ask) => {
    askFirst.current = ask
    return () => {
      if (askFirst.current === ask) askFirst.current = undefined
    }
  }, [])
  return { sessionId, openSession, askBeforeMove }
}

const toAddress = (session: SessionId | undefined): string => {
  const { pathname } = window.location
  return session ? `${pathname}?session=${session}` : pathname
}

const readSessionId = (): SessionId | undefined =>
  parseSessionParam(Object.fromEntries(new URLSearchParams(window.location.search))).session
