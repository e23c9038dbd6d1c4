import { Link } from '@tanstack/react-router'
import type { Me } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useApprovals } from '../approvals/use-approvals.ts'
import { Button } from '../ui/button.tsx'
import { CountMark } from '../ui/count-mark.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { navigationFor } from './navigation.ts'
import { SessionList } from './session-list.tsx'
import { useShell } from './shell-context.ts'
import { THEMES } from './theme.ts'

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
          <Button
            look="bare"
            aria-label="Find anything"
            aria-keyshortcuts="Control+K Meta+K"
            title="Find anything"
            className="-me-2 max-sm:me-8"
            onClick={openPalette}
          >
            <Icon name="search" />
          </Button>
        </div>
        <nav aria-label="Main">
          <ul>
            {navigationFor(me.role).map(({ label, to, icon }) => (
              <li key={label}>
                <Link
                  to={to}
                  className="text-soft hover:text-ink aria-[current=page]:text-ink flex items-center gap-2 py-1 text-sm"
                >
                  <Icon name={icon} />
                  {label}
                  {to === '/approvals' && <WaitingCount />}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {newSession && (
          <Button onClick={newSession}>
            <Icon name="plus" />
            New session
          </Button>
        )}
      </div>
      <div className="border-line min-h-0 flex-1 border-t">
        <SessionList />
      </div>
      {signOut.error && (
        <div className="px-4 py-2">
          <Notice>You are still signed in. {messageOf(signOut.error)}</Notice>
        </div>
      )}
      <div className="border-line flex items-center gap-1 border-t px-4 py-2">
        <WhoIsHere me={me} />
        <ThemeButton />
        <Button
          look="bare"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts"
          onClick={showShortcuts}
        >
          <Icon name="keyboard" />
        </Button>
        <Button look="bare" aria-label="Sign out" title="Sign out" onClick={() => signOut.mutate()}>
          <Icon name="leave" />
        </Button>
      </div>
    </div>
  )
}

/** With the role on the server, which says nothing of who was invited to one reflection. */
function WhoIsHere({ me: { label, role, isInvited } }: { me: Me }) {
  return (
    <p className="min-w-0 flex-1 truncate text-sm" title={isInvited ? label : `${label} (${role})`}>
      {label} {!isInvited && <span className="text-soft">{role}</span>}
    </p>
  )
}

/** How many calls wait for this person, beside the way to them. */
function WaitingCount() {
  const { data } = useApprovals()
  return <CountMark count={data?.items.length ?? 0} more={data?.more} says="waiting for you" />
}

function ThemeButton() {
  const { theme, chooseTheme } = useShell()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <Button
      look="bare"
      onClick={() => chooseTheme(next)}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
    >
      <Icon name="theme" />
    </Button>
  )
}
