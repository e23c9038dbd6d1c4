import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, getRouteApi, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState, useSyncExternalStore } from 'react'
import type { SessionId, SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { usePageLinks } from '../app/page-record.ts'
import { APPROVALS_KEY } from '../approvals/use-approvals.ts'
import { PageHeader, PageTitle } from '../shell/page.tsx'
import { RemoveSessionForm, RenameSessionForm } from '../shell/session-forms.tsx'
import { SESSIONS_KEY, getSessionKey } from '../shell/use-sessions.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Loading } from '../ui/query-state.tsx'
import { ConfirmForm } from '../ui/confirm-form.tsx'
import { TAB, TAB_ROW } from '../ui/tabs.ts'
import { useDisclosure } from '../ui/use-disclosure.ts'
import { useWindowEvent } from '../ui/use-window-event.ts'
import { SessionHostContext } from './open-session.ts'
import { createRandomKey } from './outbox.ts'
import { type SessionReader, createSessionReader, followWhileVisible } from './session-reader.ts'
import type { OpenSession, SessionState } from './session-state.ts'
import { OFFLINE_EXPLAINED, getSessionTitle, isOffline } from './text-labels.ts'

const route = getRouteApi('/sessions/$sessionId')

/** The frame of all session views: title, actions and live updates. */
export function SessionFrame() {
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
      return <OpenSessionFrame open={state} reader={reader} reopen={reopen} />
    default:
      return state satisfies never
  }
}

interface OpenSessionFrameProps {
  readonly open: OpenSession
  readonly reader: SessionReader
  readonly reopen: () => void
}

function OpenSessionFrame({ open, reader, reopen }: OpenSessionFrameProps) {
  const session = useLatestSession(open.session)
  const title = getSessionTitle(session)
  useWindowEvent(
    'keydown',
    ({ key, defaultPrevented, isComposing }) => {
      if (key === 'Escape' && !defaultPrevented && !isComposing) reader.stop()
    },
    session.mayWrite && open.transcript.openTurn?.state === 'running',
  )
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
      createKey: createRandomKey,
      onTurn: () => {
        void queries.invalidateQueries({ queryKey: SESSIONS_KEY })
        void queries.invalidateQueries({ queryKey: APPROVALS_KEY })
      },
      onSession: (session) => queries.setQueryData(getSessionKey(sessionId), session),
    }),
  )
  const [attempt, setAttempt] = useState(0)
  useEffect(() => followWhileVisible(reader), [reader, attempt])
  const state = useSyncExternalStore(reader.subscribe, reader.state)
  return { reader, state, reopen: () => setAttempt((last) => last + 1) }
}

/** The latest known session, including a rename in the list. */
function useLatestSession(session: SessionView): SessionView {
  const { data } = useQuery<SessionView>({ queryKey: getSessionKey(session.sessionId), queryFn: skipToken })
  return data ?? session
}

interface SessionTabsProps {
  readonly session: SessionView
  readonly onChanged: () => void
}

function SessionTabs({ session, onChanged }: SessionTabsProps) {
  const actions = useDisclosure()
  return (
    <>
      <nav aria-label="Views of the session" className={`flex items-center ${TAB_ROW}`}>
        <ul className="flex flex-1 flex-wrap">
          {usePageLinks('session').map(({ label, to }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ sessionId: session.sessionId }}
                activeOptions={{ exact: true, includeSearch: false }}
                className={TAB}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.sessionId }}
          search={{ find: '' }}
          aria-label="Find in this session"
          title="Find in this session"
          aria-current={false}
          className="text-soft hover:text-ink inline-flex min-h-9 items-center justify-center px-2 text-sm max-sm:min-h-11 max-sm:min-w-11"
        >
          <Icon name="search" />
        </Link>
        <IconButton icon="more" label="More for this session" {...actions.button} />
      </nav>
      {actions.isOpen && <SessionActions session={session} onClose={actions.close} onChanged={onChanged} />}
    </>
  )
}

interface SessionActionsProps {
  readonly session: SessionView
  readonly onClose: () => void
  readonly onChanged: () => void
}

function SessionActions({ session, onClose, onChanged }: SessionActionsProps) {
  const [mode, setMode] = useState<'choosing' | 'renaming' | 'ending' | 'removing'>('choosing')
  // A reflection's agent exists for one session only.
  const mayFork = session.mayWrite && !session.reflection
  const fork = useFork(session)
  const end = useEnd(session, () => {
    onChanged()
    onClose()
  })
  const back = () => setMode('choosing')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || event.defaultPrevented) return
    event.preventDefault()
    if (mode === 'choosing') onClose()
    else back()
  }
  return (
    <div
      role="group"
      aria-label="Session actions"
      onKeyDown={onKeyDown}
      className="border-line bg-shade border-b px-1 py-2 sm:px-5"
    >
      {mode === 'choosing' && (
        <div className="flex flex-wrap gap-2 px-3 py-1">
          {session.mayWrite && (
            <Button autoFocus onClick={() => setMode('renaming')}>
              Rename
            </Button>
          )}
          {mayFork && (
            <Button aria-disabled={fork.isPending} onClick={() => fork.isPending || fork.mutate()}>
              Fork
            </Button>
          )}
          {session.status === 'active' && (
            <Button autoFocus={!session.mayWrite} onClick={() => setMode('ending')}>
              End
            </Button>
          )}
          <Button onClick={() => setMode('removing')}>Delete</Button>
          {mayFork && (
            <p className="text-soft basis-full text-sm">
              A fork is a new session with the same history. It does not change this one.
            </p>
          )}
          <ErrorNotice error={fork.error} />
        </div>
      )}
      <div className="max-w-xl">
        {mode === 'renaming' && <RenameSessionForm session={session} onClose={onClose} />}
        {mode === 'ending' && (
          <div className="px-3 pt-1 pb-3">
            <ConfirmForm label="End the session" yes="End session" action={end} onClose={back}>
              <p>End this session? It can still be read{mayFork && ' and forked'}, but not continued.</p>
            </ConfirmForm>
          </div>
        )}
        {mode === 'removing' && (
          <RemoveSessionForm sessionId={session.sessionId} title={getSessionTitle(session)} onClose={back} />
        )}
      </div>
    </div>
  )
}

function useFork({ sessionId }: SessionView) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => client.sessions.fork({ sessionId }),
    onSuccess: async (forked) => {
      await navigate({ to: '/sessions/$sessionId', params: { sessionId: forked.sessionId } })
      await queries.invalidateQueries({ queryKey: SESSIONS_KEY })
    },
  })
}

function useEnd({ sessionId }: SessionView, onEnded: () => void) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.sessions.end(sessionId),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: SESSIONS_KEY })
      onEnded()
    },
  })
}
