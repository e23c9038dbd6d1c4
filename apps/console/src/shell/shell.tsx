import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Command, PaletteAction } from '../palette/command.ts'
import { Palette } from '../palette/palette.tsx'
import { focusMessageBox } from '../session/message-box.ts'
import { Tour } from '../tour/tour.tsx'
import { useTour } from '../tour/use-tour.ts'
import { focusPage } from '../ui/focus-page.ts'
import { Panel } from '../ui/panel.tsx'
import { focusSearch } from './search-box.tsx'
import { ShellContext } from './shell-context.ts'
import { ShortcutsPanel } from './shortcuts-panel.tsx'
import { SideBar } from './side-bar.tsx'
import { useNewSession } from './use-new-session.ts'
import { useShellKeys } from './use-shell-keys.ts'
import { useSignOut } from './use-sign-out.ts'
import { useTheme } from './use-theme.ts'

type Over = 'nothing' | 'menu' | 'search' | 'shortcuts' | 'palette'

/** The frame of every page: the side bar, and on a phone the same as a drawer. */
export function Shell() {
  const { signOut, askBeforeSignOut } = useSignOut()
  const newSession = useNewSession()
  const { theme, chooseTheme } = useTheme()
  const tour = useTour()
  const navigate = useNavigate()
  const [over, setOver] = useState<Over>('nothing')
  const { href } = useLocation()
  const show = (what: Over) => (open: boolean) => setOver(open ? what : 'nothing')
  const startTour = () => {
    setOver('nothing')
    tour.start()
  }

  useEffect(() => setOver('nothing'), [href])

  useShellKeys({
    palette: () => setOver('palette'),
    '/': () => focusSearch() || setOver('search'),
    m: focusMessageBox,
    n: () => newSession?.(),
    '?': () => setOver('shortcuts'),
  })

  const actions: Record<PaletteAction, () => void> = {
    'new-session': () => newSession?.(),
    'theme-system': () => chooseTheme('system'),
    'theme-light': () => chooseTheme('light'),
    'theme-dark': () => chooseTheme('dark'),
    shortcuts: () => setOver('shortcuts'),
    tour: startTour,
    'sign-out': () => signOut.mutate(),
  }
  const choose = ({ does }: Command) => {
    setOver('nothing')
    if (does.kind === 'act') actions[does.action]()
    else void navigate({ href: does.href }).then(focusPage)
  }

  return (
    <ShellContext
      value={{
        newSession,
        signOut,
        askBeforeSignOut,
        showShortcuts: () => setOver('shortcuts'),
        openMenu: () => setOver('menu'),
        openPalette: () => setOver('palette'),
        startTour,
        theme,
        chooseTheme,
      }}
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
      <Panel title="Find anything" place="top" open={over === 'palette'} onOpenChange={show('palette')}>
        <Palette onChoose={choose} />
      </Panel>
      <Panel
        title="Keyboard shortcuts"
        place="middle"
        open={over === 'shortcuts'}
        onOpenChange={show('shortcuts')}
      >
        <ShortcutsPanel />
      </Panel>
      {over === 'nothing' && <Tour tour={tour} />}
    </ShellContext>
  )
}
