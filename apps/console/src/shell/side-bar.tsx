import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Me, SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useApprovals } from '../approvals/use-approvals.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { CountMark } from '../ui/count-mark.tsx'
import { Icon } from '../ui/icon.tsx'
import { getErrorMessage } from '../ui/error-message.ts'
import { Notice, ErrorNotice } from '../ui/notice.tsx'
import { formatTime, formatAge } from '../ui/format.ts'
import { SearchBox } from './search-box.tsx'
import { RemoveSessionForm, RenameSessionForm, TurnMark } from './session-forms.tsx'
import { THEMES, useShell } from './shell-context.ts'
import { useSessions } from './use-sessions.ts'
import { getSessionTitle } from '../session/text-labels.ts'
import { usePageLinks } from '../app/page-record.ts'

export function SideBar() {
  const { me } = useConsoleHost()
  const { newSession, signOut, showShortcuts, openPalette } = useShell()
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-col gap-4 px-4 pt-4 pb-3">
        <div className="flex items-center justify-between">
          <Link to="/" className="font-serif text-xl">
            Parley
          </Link>
          <IconButton
            icon="search"
            label="Find anything"
            aria-keyshortcuts="Control+K Meta+K"

            className="-me-2 max-sm:me-8"
            onClick={openPalette}
          />
        </div>
        <nav aria-label="Main">
          <ul>
            {usePageLinks('main', me.role).map(({ label, to, icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className="text-soft hover:text-ink aria-[current=page]:text-ink flex items-center gap-2 py-1 text-sm"
                >
                  {icon && <Icon name={icon} />}
                  {label}
                  {to === '/approvals' && <WaitingCount />}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {newSession && (
          <Button icon="plus" onClick={newSession}>
            New session
          </Button>
        )}
      </div>
      <div className="border-line min-h-0 flex-1 border-t">
        <SessionList />
      </div>
      {signOut.error && (
        <div className="px-4 py-2">
          <Notice>You are still signed in. {getErrorMessage(signOut.error)}</Notice>
        </div>
      )}
      <div className="border-line flex items-center gap-1 border-t px-4 py-2">
        <CurrentPerson me={me} />
        <ThemeButton />
        <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={showShortcuts} />
        <IconButton icon="leave" label="Sign out" onClick={() => signOut.mutate()} />
      </div>
    </div>
  )
}

/** Shows the server role, except for people invited to one reflection. */
function CurrentPerson({ me: { label, role, isInvited } }: { me: Me }) {
  return (
    <p className="min-w-0 flex-1 truncate text-sm" title={isInvited ? label : `${label} (${role})`}>
      {label} {!isInvited && <span className="text-soft">{role}</span>}
    </p>
  )
}

function WaitingCount() {
  const { data } = useApprovals()
  return <CountMark count={data?.items.length ?? 0} more={data?.more} label="waiting for you" />
}

function ThemeButton() {
  const { theme, chooseTheme } = useShell()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return <IconButton icon="theme" label={`Theme: ${theme}`} onClick={() => chooseTheme(next)} />
}

function SessionList() {
  const [search, setSearch] = useState('')
  const { items, error, retry, loadMore, isLoadingMore, loadedAt, isPrevious } = useSessions(
    search ? { search } : {},
  )
  return (
    <nav aria-label="Sessions" className="flex h-full flex-col">
      <SearchBox onSearch={setSearch} />
      <div className="min-h-0 flex-1 overflow-y-auto px-1 pb-2">
        <div role="status" className="text-soft text-sm">
          {!items && !error && <p className="animate-late px-3 py-2">Loading sessions…</p>}
          {items?.length === 0 && !isPrevious && (
            <p className="px-3 py-2 wrap-anywhere">
              {search === '' ? 'No sessions yet.' : `No results for “${search}”.`}
            </p>
          )}
        </div>
        {error && (!items?.length || isPrevious) && (
          <div className="px-3 py-2">
            <ErrorNotice error={error} retry={retry} />
          </div>
        )}
        <ul>
          {items?.map((session) => (
            <SessionListItem key={session.sessionId} session={session} now={loadedAt} />
          ))}
        </ul>
        {loadMore && (
          <Button variant="ghost" className="justify-start" disabled={isLoadingMore} onClick={loadMore}>
            Show more
          </Button>
        )}
      </div>
    </nav>
  )
}

/** A session in the list; its actions open below its name. */
function SessionListItem({ session, now }: { session: SessionView; now: number }) {
  const [mode, setMode] = useState<'closed' | 'choosing' | 'renaming' | 'removing'>('closed')
  const more = useRef<HTMLButtonElement>(null)
  const title = getSessionTitle(session)
  const close = () => {
    setMode('closed')
    more.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || mode === 'closed' || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  return (
    <li onKeyDown={onKeyDown} data-takes-escape={mode === 'closed' ? undefined : true} className="group">
      <div className="flex items-center">
        <SessionLink session={session} title={title} now={now} />
        <IconButton
          icon="more"
          label={`More for ${title}`}
          ref={more}

          aria-expanded={mode !== 'closed'}
          className="pointer-fine:not-group-hover:not-group-focus-within:not-aria-expanded:opacity-0 px-1.5"
          onClick={() => (mode === 'closed' ? setMode('choosing') : close())}
        />
      </div>
      {mode === 'choosing' && (
        <div className="flex gap-2 px-3 pt-1 pb-3">
          <Button onClick={() => setMode('renaming')} autoFocus>
            Rename
          </Button>
          <Button onClick={() => setMode('removing')}>Delete</Button>
        </div>
      )}
      {mode === 'renaming' && <RenameSessionForm session={session} onClose={close} />}
      {mode === 'removing' && (
        <RemoveSessionForm sessionId={session.sessionId} title={title} onClose={close} />
      )}
    </li>
  )
}

function SessionLink({ session, title, now }: { session: SessionView; title: string; now: number }) {
  const { sessionId, updatedAt, openTurn } = session
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink flex min-w-0 flex-1 items-baseline gap-2 border-s-2 border-transparent py-1.5 ps-3 text-sm max-sm:py-3"
    >
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {openTurn && <TurnMark state={openTurn.state} />}
      <time dateTime={updatedAt} title={formatTime(updatedAt)} className="shrink-0 text-xs">
        {formatAge(updatedAt, now)}
      </time>
    </Link>
  )
}
