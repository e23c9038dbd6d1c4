import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { focusMessageBox } from '../session/message-box.ts'
import { Panel } from '../ui/panel.tsx'
import { focusSearch } from './search-box.tsx'
import { ShellContext } from './shell-context.ts'
import { SHORTCUTS, singleKeyOf } from './shortcuts.ts'
import { SideBar } from './side-bar.tsx'
import { useNewSession } from './use-new-session.ts'

/** The frame of every page: the side bar, and on a phone the same as a drawer. */
export function Shell() {
  const newSession = useNewSession()
  const { mutate: startSession } = newSession
  const [over, setOver] = useState<'nothing' | 'menu' | 'search' | 'shortcuts'>('nothing')
  const { href } = useLocation()
  const show = (what: typeof over) => (open: boolean) => setOver(open ? what : 'nothing')

  useEffect(() => setOver('nothing'), [href])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const actions: Readonly<Record<string, () => unknown>> = {
        '/': () => focusSearch() || setOver('search'),
        m: focusMessageBox,
        n: () => startSession(),
        '?': () => setOver('shortcuts'),
      }
      const action = actions[singleKeyOf(event) ?? '']
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [startSession])

  return (
    <ShellContext
      value={{ newSession, showShortcuts: () => setOver('shortcuts'), openMenu: () => setOver('menu') }}
    >
      <a
        href="#main"
        className="bg-accent text-on-accent absolute start-2 top-2 z-30 rounded-md px-3 py-2 text-sm not-focus:sr-only"
      >
        Skip to content
      </a>
      <div className="grid h-dvh sm:grid-cols-[17rem_minmax(0,1fr)]">
        <aside className="bg-shade border-line min-h-0 border-e max-sm:hidden">
          <SideBar />
        </aside>
        <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
          <Outlet />
        </main>
      </div>
      <Panel
        title="Menu"
        place="side"
        open={over === 'menu' || over === 'search'}
        onOpenChange={show('menu')}
        focusFirst={over === 'search' ? focusSearch : undefined}
      >
        <SideBar />
      </Panel>
      <Panel
        title="Keyboard shortcuts"
        place="middle"
        open={over === 'shortcuts'}
        onOpenChange={show('shortcuts')}
      >
        <Shortcuts />
      </Panel>
    </ShellContext>
  )
}

function Shortcuts() {
  return (
    <dl className="mt-4 grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-2 text-sm">
      {SHORTCUTS.map(({ keys, does }) => (
        <div key={does} className="contents">
          <dt className="flex gap-1">
            {keys.map((key) => (
              <kbd key={key} className="border-line rounded border px-1.5 font-mono text-xs leading-5">
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}
