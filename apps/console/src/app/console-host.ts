import type { ApiClient } from '@parley/api-client'
import type { Me } from '@parley/contracts'
import type { BrowserStorage } from './browser-storage.ts'
import { createRequiredContext } from '../ui/required-context.ts'

/** The services of every page after sign-in. */
export interface ConsoleHost {
  readonly me: Me
  readonly client: ApiClient
  /** This person's data in this browser. */
  readonly storage: BrowserStorage
  /** Browser data shared by everybody, such as the theme. */
  readonly browserStorage: BrowserStorage
  /** Throws when the server is unreachable. */
  readonly signOut: () => Promise<void>
}

export const [ConsoleHostContext, useConsoleHost] = createRequiredContext<ConsoleHost>('ConsoleHostContext')
