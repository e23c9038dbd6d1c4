import { Link } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { NAVIGATION } from './navigation.ts'
import { SessionList } from './session-list.tsx'
import { useShell } from './shell-context.ts'
import { ThemeButton } from './theme-button.tsx'

export function SideBar() {
  const { me, leave } = useConsoleHost()
  const { newSession, showShortcuts } = useShell()
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-col gap-4 px-4 pt-4 pb-3">
        <Link to="/" className="self-start font-serif text-xl">
          Parley
        </Link>
        <nav aria-label="Main">
          <ul>
            {NAVIGATION.map(({ label, to, icon }) => (
              <li key={label}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/' }}
                  className="text-soft hover:text-ink aria-[current=page]:text-ink flex items-center gap-2 py-1 text-sm"
                >
                  <Icon name={icon} />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Button disabled={newSession.isPending} onClick={() => newSession.mutate()}>
          <Icon name="plus" />
          New session
        </Button>
        {newSession.error && <Notice>{messageOf(newSession.error)}</Notice>}
      </div>
      <div className="border-line min-h-0 flex-1 border-t">
        <SessionList />
      </div>
      <div className="border-line flex items-center gap-1 border-t px-4 py-2">
        <p className="min-w-0 flex-1 truncate text-sm" title={`${me.label} (${me.role})`}>
          {me.label} <span className="text-soft">{me.role}</span>
        </p>
        <ThemeButton />
        <Button
          look="bare"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts"
          onClick={showShortcuts}
        >
          <Icon name="keyboard" />
        </Button>
        <Button look="bare" aria-label="Sign out" title="Sign out" onClick={leave}>
          <Icon name="leave" />
        </Button>
      </div>
    </div>
  )
}
