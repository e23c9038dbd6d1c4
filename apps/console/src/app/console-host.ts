import type { ApiClient } from '@parley/api-client'
import type { Me } from '@parley/contracts'
import { createContext, use } from 'react'
import type { BrowserStorage } from './browser-storage.ts'

/** The services of every page after sign-in. */
export interface ConsoleHost {
  readonly me: Me
  readonly client: ApiClient
  /** This person's data in this browser. */
  readonly storage: BrowserStorage
  /** Browser data shared by everybody, such as the theme. */
  readonly browserStorage: BrowserStorage
  /** Throws when the server is unreachable. */
  readonly leave: () => Promise<void>
}

export const ConsoleHostContext = createContext<ConsoleHost | undefined>(undefined)

export function useConsoleHost(): ConsoleHost {
  const host = use(ConsoleHostContext)
  if (!host) throw new Error('ConsoleHostContext is missing: this component needs a signed-in person.')
  return host
}
