import { createContext, use } from 'react'
import type { useNewSession } from './use-new-session.ts'

/** What pages and the side bar share of the frame around them. */
export interface ShellHost {
  readonly newSession: ReturnType<typeof useNewSession>
  readonly showShortcuts: () => void
  readonly openMenu: () => void
}

export const ShellContext = createContext<ShellHost | undefined>(undefined)

export function useShell(): ShellHost {
  const shell = use(ShellContext)
  if (!shell) throw new Error('This part of the page belongs inside the shell.')
  return shell
}
