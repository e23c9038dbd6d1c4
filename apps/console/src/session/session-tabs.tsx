import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import type { SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { RemoveQuestion, RenameForm } from '../shell/session-forms.tsx'
import { SESSIONS } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { TAB, TAB_ROW } from '../ui/tabs.ts'
import { Question } from '../ui/question.tsx'
import { useDisclosure } from '../ui/use-disclosure.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { sessionTitle } from './text-labels.ts'
import { usePageLinks } from '../app/page-record.ts'

interface SessionTabsProps {
  readonly session: SessionView
  /** Reloads the session. */
  readonly onChanged: () => void
}

/** The views and actions of a session. */
export function SessionTabs({ session, onChanged }: SessionTabsProps) {
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
        <Button
          variant="ghost"
          aria-label="More for this session"
          title="More for this session"
          {...actions.button}
        >
          <Icon name="more" />
        </Button>
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

/** Rename, fork, end and delete, below the title. */
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
        {mode === 'renaming' && <RenameForm session={session} onClose={onClose} />}
        {mode === 'ending' && (
          <div className="px-3 pt-1 pb-3">
            <Question label="End the session" yes="End session" no="Cancel" action={end} onClose={back}>
              <p>End this session? It can still be read{mayFork && ' and forked'}, but not continued.</p>
            </Question>
          </div>
        )}
        {mode === 'removing' && (
          <RemoveQuestion sessionId={session.sessionId} title={sessionTitle(session)} onClose={back} />
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
      await queries.invalidateQueries({ queryKey: SESSIONS })
    },
  })
}

function useEnd({ sessionId }: SessionView, onEnded: () => void) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.sessions.end(sessionId),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: SESSIONS })
      onEnded()
    },
  })
}
