import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, getRouteApi } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { SessionId, SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { APPROVALS } from '../approvals/use-approvals.ts'
import { PageHeader, PageTitle } from '../shell/page.tsx'
import { SESSIONS, sessionKey } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { randomKey } from './outbox.ts'
import { SessionTabs } from './session-tabs.tsx'
import { type SessionReader, createSessionReader, followWhileVisible } from './session-reader.ts'
import { type OpenSession, type SessionState } from './session-state.ts'
import { SessionHostContext } from './open-session.ts'
import { OFFLINE_EXPLAINED, isOffline, sessionTitle } from './text-labels.ts'
import { Loading } from '../ui/query-state.tsx'

const route = getRouteApi('/sessions/$sessionId')

/** The frame of all session views: title, actions and live updates. */
export function SessionPage() {
  const { sessionId } = route.useParams()
  const { reader, state, reopen } = useSessionReader(sessionId as SessionId)
  switch (state.kind) {
    case 'loading':
      return (
        <>
          <PageHeader title="Session" />
          <Loading className="m-auto pb-24">Loading the session…</Loading>
        </>
      )
    case 'failed':
      return (
        <>
          <PageHeader title="Session" />
          <div className="m-auto max-w-md px-6 pb-24">
            <Notice action={<Button onClick={reopen}>Try again</Button>}>{state.error}</Notice>
          </div>
        </>
      )
    case 'open':
      return <OpenSessionPage open={state} reader={reader} reopen={reopen} />
    default:
      return state satisfies never
  }
}

interface OpenSessionPageProps {
  readonly open: OpenSession
  readonly reader: SessionReader
  readonly reopen: () => void
}

function OpenSessionPage({ open, reader, reopen }: OpenSessionPageProps) {
  const session = useKnownSession(open.session)
  const title = sessionTitle(session)
  useStopByEscape(session.mayWrite && open.transcript.openTurn?.state === 'running', reader)
  return (
    <SessionHostContext value={{ open: { ...open, session }, reader }}>
      <PageTitle frame={title} />
      <PageHeader title={title}>
        <AgentLabel session={session} />
      </PageHeader>
      <SessionTabs session={session} onChanged={reopen} />
      <Outlet />
    </SessionHostContext>
  )
}

function AgentLabel({ session }: { session: SessionView }) {
  return (
    <p className="text-soft truncate text-sm">
      <AgentName session={session} />
      {isOffline(session) ? <span title={OFFLINE_EXPLAINED}> · offline model</span> : ` · ${session.model}`}
    </p>
  )
}

/** A link to the session's reflection; plain text for visitors. */
function AgentName({ session: { agentName, agentSlug, reflection } }: { session: SessionView }) {
  const name = agentName ?? agentSlug
  if (reflection?.id === undefined) return name
  return (
    <Link
      to="/reflections/$reflectionId"
      params={{ reflectionId: reflection.id }}
      className="decoration-edge hover:text-ink underline underline-offset-2"
    >
      {name}
    </Link>
  )
}

function useStopByEscape(running: boolean, reader: SessionReader) {
  useEffect(() => {
    if (!running) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) reader.stop()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [running, reader])
}

function useSessionReader(sessionId: SessionId): {
  reader: SessionReader
  state: SessionState
  reopen: () => void
} {
  const { client, storage } = useConsoleHost()
  const queries = useQueryClient()
  const [reader] = useState(() =>
    createSessionReader(sessionId, {
      client,
      storage,
      newKey: randomKey,
      onTurn: () => {
        void queries.invalidateQueries({ queryKey: SESSIONS })
        void queries.invalidateQueries({ queryKey: APPROVALS })
      },
      onSession: (session) => queries.setQueryData(sessionKey(sessionId), session),
    }),
  )
  const [attempt, setAttempt] = useState(0)
  useEffect(() => followWhileVisible(reader), [reader, attempt])
  const state = useSyncExternalStore(reader.subscribe, reader.state)
  return { reader, state, reopen: () => setAttempt((last) => last + 1) }
}

/** The latest known session, including a rename in the list. */
function useKnownSession(session: SessionView): SessionView {
  const { data } = useQuery<SessionView>({ queryKey: sessionKey(session.sessionId), queryFn: skipToken })
  return data ?? session
}
