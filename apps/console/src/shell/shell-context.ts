import { createContext, use } from 'react'
import type { Theme } from './theme.ts'

/** What pages and the side bar share of the frame around them. */
export interface ShellHost {
  /** Undefined for who may start none. */
  readonly newSession: (() => void) | undefined
  /** Asked in place of signing out at once, until it is taken back; `go` signs out. */
  readonly askBeforeSignOut: (ask: (go: () => void) => void) => () => void
  readonly signOut: { readonly mutate: () => void; readonly error: Error | null }
  readonly showShortcuts: () => void
  readonly openMenu: () => void
  readonly openPalette: () => void
  readonly startTour: () => void
  readonly theme: Theme
  readonly chooseTheme: (theme: Theme) => void
}

export const ShellContext = createContext<ShellHost | undefined>(undefined)

export function useShell(): ShellHost {
  const shell = use(ShellContext)
  if (!shell) throw new Error('This part of the page belongs inside the shell.')
  return shell
}
