import type { ApiClient } from '@parley/api-client'
import type { Me } from '@parley/contracts'
import { createContext, use } from 'react'
import type { Keep } from './keep.ts'

/** What every page works with once somebody has signed in. */
export interface ConsoleHost {
  readonly me: Me
  readonly client: ApiClient
  /** What is theirs in this browser. */
  readonly keep: Keep
  /** What stays in it whoever is here. */
  readonly browserKeep: Keep
  /** Throws where the server cannot be told. */
  readonly leave: () => Promise<void>
}

export const ConsoleHostContext = createContext<ConsoleHost | undefined>(undefined)

export function useConsoleHost(): ConsoleHost {
  const host = use(ConsoleHostContext)
  if (!host) throw new Error('This part of the page is only for those who have signed in.')
  return host
}
