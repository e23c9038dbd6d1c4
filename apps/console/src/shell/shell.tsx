import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, lazyRouteComponent, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useRef, useState, useEffectEvent } from 'react'
import type { MySettings } from '@parley/contracts'
import { focusPage, focusMessageBox, focusMessageBoxWithKeyboard } from '../ui/focus.ts'
import { useConsoleHost } from '../app/console-host.ts'
import type { Command, PaletteAction } from '../palette/commands.ts'
import { Palette } from '../palette/palette.tsx'
import { Button } from '../ui/button.tsx'
import { Panel } from '../ui/panel.tsx'
import { useWindowEvent } from '../ui/use-window-event.ts'
import { focusSearch } from './search-box.tsx'
import {
  ShellContext,
  type ShellHost,
  type Theme,
  applyTheme,
  saveTheme,
  readTheme,
  useShell,
} from './shell-context.ts'
import { SHORTCUTS, isPaletteKey, getSingleKey } from './shortcuts.ts'
import { SideBar } from './side-bar.tsx'
import { useReflections } from '../reflections/use-reflections.ts'

/** Loaded when it starts. */
const Tour = lazyRouteComponent(() => import('../tour/tour.tsx'), 'Tour')

type Overlay = 'none' | 'menu' | 'search' | 'shortcuts' | 'palette'

/** The frame of every page: the side bar, and on a phone the same as a drawer. */
export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>('none')
  const { href } = useLocation()
  useEffect(() => setOverlay('none'), [href])
  const tour = useTour()
  const { signOut, askBeforeSignOut } = useSignOut()
  const shell: ShellHost = {
    newSession: useNewSession(),
    signOut,
    askBeforeSignOut,
    showShortcuts: () => setOverlay('shortcuts'),
    openMenu: () => setOverlay('menu'),
    openPalette: () => setOverlay('palette'),
    startTour: () => {
      setOverlay('none')
      tour.start()
    },
    ...useTheme(),
  }
  useShellKeys({
    palette: shell.openPalette,
    '/': () => focusSearch() || setOverlay('search'),
    m: focusMessageBox,
    n: () => shell.newSession?.(),
    '?': shell.showShortcuts,
  })
  return (
    <ShellContext value={shell}>
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
      <Overlays overlay={overlay} onOverlay={setOverlay} />
      {tour.run > 0 && (
        <Suspense>
          <Tour key={tour.run} reflection={tour.reflection} isHidden={overlay !== 'none'} onEnd={tour.end} />
        </Suspense>
      )}
    </ShellContext>
  )
}

/** The menu, the palette and the shortcuts. One is open at a time. */
function Overlays({ overlay, onOverlay }: { overlay: Overlay; onOverlay: (overlay: Overlay) => void }) {
  const choose = usePaletteChoice(() => onOverlay('none'))
  const show = (panel: Overlay) => (isOpen: boolean) => onOverlay(isOpen ? panel : 'none')
  return (
    <>
      <Panel
        title="Menu"
        place="side"
        open={overlay === 'menu' || overlay === 'search'}
        onOpenChange={show('menu')}
        focusFirst={overlay === 'search' ? focusSearch : undefined}
      >
        <SideBar />
      </Panel>
      <Panel title="Find anything" place="top" open={overlay === 'palette'} onOpenChange={show('palette')}>
        <Palette onChoose={choose} />
      </Panel>
      <Panel
        title="Keyboard shortcuts"
        place="middle"
        open={overlay === 'shortcuts'}
        onOpenChange={show('shortcuts')}
      >
        <ShortcutsPanel />
      </Panel>
    </>
  )
}

/** Carries out a command of the palette, after closing it. */
function usePaletteChoice(closePalette: () => void): (command: Command) => void {
  const { newSession, chooseTheme, showShortcuts, startTour, signOut } = useShell()
  const navigate = useNavigate()
  const actions: Record<PaletteAction, () => void> = {
    'new-session': () => newSession?.(),
    'theme-system': () => chooseTheme('system'),
    'theme-light': () => chooseTheme('light'),
    'theme-dark': () => chooseTheme('dark'),
    shortcuts: showShortcuts,
    tour: startTour,
    'sign-out': () => signOut.mutate(),
  }
  return ({ effect }) => {
    closePalette()
    if (effect.kind === 'act') actions[effect.action]()
    else void navigate({ href: effect.href }).then(focusPage)
  }
}

/** Opens the new-session page. Undefined for people invited to one reflection: they may not use the server's agents. */
function useNewSession(): (() => void) | undefined {
  const { me } = useConsoleHost()
  const navigate = useNavigate()
  const open = () => void navigate({ to: '/sessions/new' }).then(focusMessageBoxWithKeyboard)
  return me.isInvited ? undefined : open
}

function useTheme() {
  const { browserStorage: storage } = useConsoleHost()
  const [theme, setTheme] = useState(() => readTheme(storage))
  const chooseTheme = (chosen: Theme) => {
    saveTheme(storage, chosen)
    applyTheme(chosen)
    setTheme(chosen)
  }
  return { theme, chooseTheme }
}

/** Actions by key; `palette` for the keys that open the palette. */
type KeyActions = Readonly<Record<string, () => unknown>> & { readonly palette: () => unknown }

function useShellKeys(actions: KeyActions): void {
  useWindowEvent('keydown', (event) => {
    const single = getSingleKey(event)
    const action = isPaletteKey(event) ? actions.palette : single === undefined ? undefined : actions[single]
    if (!action) return
    event.preventDefault()
    action()
  })
}

/** Signs out, after a page's own question if it registered one. */
function useSignOut(): Pick<ShellHost, 'signOut' | 'askBeforeSignOut'> {
  const { signOut } = useConsoleHost()
  const { mutate, error } = useMutation({ mutationFn: signOut })
  const askFirst = useRef<(go: () => void) => void>(undefined)
  const askBeforeSignOut = useCallback<ShellHost['askBeforeSignOut']>((ask) => {
    askFirst.current = ask
    return () => {
      askFirst.current = undefined
    }
  }, [])
  const go = () => mutate()
  return {
    askBeforeSignOut,
    signOut: { mutate: () => (askFirst.current ? askFirst.current(go) : go()), error },
  }
}

function ShortcutsPanel() {
  const { startTour } = useShell()
  return (
    <>
      <dl className="mt-4 grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-2 text-sm">
        {SHORTCUTS.map(({ keys, label }) => (
          <div key={label} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="border-line rounded border px-1.5 font-mono text-xs leading-5">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <Button className="mt-6" onClick={startTour}>
        Show the tour
      </Button>
    </>
  )
}

/** Starts the tour once for each person on their first visit of the home page, and on request. */
function useTour() {
  /** The number of starts while the tour is open: another start begins again. */
  const [run, setRun] = useState(0)
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { settings, save } = useMySettings()
  const { items } = useReflections()

  const isDue = settings?.tour === 'due' && items !== undefined && pathname === '/'
  const startOnce = useEffectEvent(() => setRun((before) => before || 1))
  useEffect(() => {
    if (isDue) startOnce()
  }, [isDue])

  return {
    run,
    reflection: items?.[0],
    start: () => {
      setRun(run + 1)
      if (pathname !== '/') void navigate({ to: '/' })
    },
    end: (how: 'skipped' | 'done') => {
      setRun(0)
      save({ tour: how })
    },
  }
}

const MY_SETTINGS = ['my-settings'] as const

function useMySettings() {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const { data: settings } = useQuery({
    queryKey: MY_SETTINGS,
    queryFn: () => client.mySettings.get(),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 3,
  })
  const saving = useMutation({ mutationFn: (next: MySettings) => client.mySettings.set(next), retry: 3 })
  const save = (next: MySettings) => {
    queries.setQueryData(MY_SETTINGS, next)
    saving.mutate(next)
  }
  return { settings, save }
}
