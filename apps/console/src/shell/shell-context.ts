import type { BrowserStorage } from '../app/browser-storage.ts'
import { createRequiredContext } from '../ui/required-context.ts'

/** Actions of the shell for pages and the side bar. */
export interface ShellHost {
  /** Undefined when the person may not start sessions. */
  readonly newSession: (() => void) | undefined
  /** Registers a question to ask before signing out; returns how to unregister it. `go` signs out. */
  readonly askBeforeSignOut: (ask: (go: () => void) => void) => () => void
  readonly signOut: { readonly mutate: () => void; readonly error: Error | null }
  readonly showShortcuts: () => void
  readonly openMenu: () => void
  readonly openPalette: () => void
  readonly startTour: () => void
  readonly theme: Theme
  readonly chooseTheme: (theme: Theme) => void
}

export const [ShellContext, useShell] = createRequiredContext<ShellHost>('ShellContext')

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const NAME = 'theme'

export function readTheme(storage: BrowserStorage): Theme {
  const stored = storage.read(NAME)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

export function saveTheme(storage: BrowserStorage, theme: Theme): void {
  storage.write(NAME, theme === 'system' ? undefined : theme)
}

/** Without either class the style sheet follows the system. */
export function applyTheme(theme: Theme): void {
  document.documentElement.classList.toggle('light', theme === 'light')
  document.documentElement.classList.toggle('dark', theme === 'dark')
}
