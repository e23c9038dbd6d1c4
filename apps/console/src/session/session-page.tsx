import type { SessionId, SessionView } from '@parley/contracts'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { isOffline, OFFLINE_EXPLAINED } from './model-label.ts'
import { SessionHostContext } from './open-session.ts'
import { SessionParts } from './session-parts.tsx'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'
import { viewAt } from './view-at.ts'
import { useKnownSession, useSessionReader } from './use-session-reader.ts'

/** What all views of a session share: its name, what can be done with it, and that it is followed. */
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

/** Of a session with a reflection, the way to it; a visitor's leads nowhere. */
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
