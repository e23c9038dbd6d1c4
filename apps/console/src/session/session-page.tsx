import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { SessionId, SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { APPROVALS } from '../approvals/use-approvals.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { SESSIONS, sessionKey } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { randomKey } from './outbox.ts'
import { SessionParts } from './session-parts.tsx'
import { type SessionReader, createSessionReader, followWhileVisible } from './session-reader.ts'
import { type OpenSession, type SessionState } from './session-state.ts'
import { SessionHostContext } from './open-session.ts'
import { OFFLINE_EXPLAINED, isOffline } from './text-labels.ts'

/** The frame of all session views: title, actions and live updates. */
export function SessionPage({ sessionId }: { sessionId: SessionId }) {
  const { reader, state, reopen } = useSessionReader(sessionId)
  switch (state.kind) {
    case 'loading':
      return (
        <>
          <PageHeader title="Session" />
          <p className="animate-late text-soft m-auto pb-24 text-sm">Loading the session…</p>
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
  const title = session.title ?? 'Untitled session'
  const view = viewAt(useLocation().pathname)
  useStopByEscape(session.mayWrite && open.transcript.openTurn?.state === 'running', reader)
  return (
    <SessionHostContext value={{ open: { ...open, session }, reader }}>
      <title>{[...(view === undefined ? [] : [view]), title, 'Parley'].join(' · ')}</title>
      <PageHeader title={title}>
        <AgentLabel session={session} />
      </PageHeader>
      <SessionParts session={session} onChanged={reopen} />
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

/** The name of the view at an address; undefined for the transcript. */
export function viewAt(pathname: string): string | undefined {
  const [view = ''] = pathname.split('/').slice(3)
  return view === '' ? undefined : view.charAt(0).toUpperCase() + view.slice(1)
}

function useSessionReader(sessionId: SessionId): {
  reader: SessionReader
  state: SessionState
  reopen: () => void
} {
  const { client, keep } = useConsoleHost()
  const queries = useQueryClient()
  const [reader] = useState(() =>
    createSessionReader(sessionId, {
      client,
      keep,
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
