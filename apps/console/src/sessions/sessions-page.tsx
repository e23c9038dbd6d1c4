import type { ListedSession } from '@parley/contracts'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useShell } from '../shell/shell-context.ts'
import { SESSIONS } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { PageList } from '../ui/page-list.tsx'
import { usePages } from '../ui/use-pages.ts'
import { useRowKeys } from '../ui/use-row-keys.ts'
import { FilterBar } from './filter-bar.tsx'
import { ListedSessionRow } from './listed-session-row.tsx'
import { isFiltered, type SessionFilters } from './session-filters.ts'
import { useReflectionNames } from './use-reflection-names.ts'

/** Other programs start and run sessions too. */
const LOOK_AGAIN_MS = 10_000

/** Every session there is for a person, and what finds one among them. The address holds what is looked for. */
export function SessionsPage({ filters }: { filters: SessionFilters }) {
  const { client } = useConsoleHost()
  const navigate = useNavigate()
  const names = useReflectionNames()
  const list = useRef<HTMLDivElement>(null)
  useRowKeys(list)
  const change = useCallback(
    (next: SessionFilters) => void navigate({ to: '/sessions', search: next, replace: true }),
    [navigate],
  )
  const pages = usePages<ListedSession>({
    key: [...SESSIONS, 'page', filters],
    read: (page) => client.sessions.list({ ...filters, ...page }),
    lookAgainMs: () => LOOK_AGAIN_MS,
    keepsPrevious: true,
  })
  return (
    <>
      <title>Sessions · Parley</title>
      <PageHeader title="Sessions" />
      <PageBody width="wide">
        <FilterBar filters={filters} names={names} onChange={change} />
        <div ref={list} className="flex flex-col gap-6">
          <PageList
            pages={pages}
            label="Sessions found"
            empty={isFiltered(filters) ? <NoneFound onClear={() => change({})} /> : <NoneYet />}
            row={(session) => (
              <ListedSessionRow key={session.sessionId} session={session} now={pages.readAt} names={names} />
            )}
          />
        </div>
      </PageBody>
    </>
  )
}

const NoneFound = ({ onClear }: { onClear: () => void }) => (
  <div className="flex max-w-prose flex-col items-start gap-3 text-sm leading-6">
    <p className="font-serif text-xl">Nothing found</p>
    <p>No session is like that. Words are looked for in titles and in all that was said.</p>
    <Button onClick={onClear}>Show all of mine</Button>
  </div>
)

function NoneYet() {
  const { newSession } = useShell()
  return (
    <div className="flex max-w-prose flex-col items-start gap-3 text-sm leading-6">
      <p className="font-serif text-xl">No sessions yet</p>
      <p>
        A session is a conversation with one agent. Everything that is said and done in it is kept: you can
        leave, come back, go on, play it again or take it along as a file.
      </p>
      {newSession && (
        <Button look="main" onClick={newSession}>
          <Icon name="plus" />
          Start the first
        </Button>
      )}
    </div>
  )
}
