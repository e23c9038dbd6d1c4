import type { SessionId } from '@parley/contracts'
import type { StartingHost } from '@parley/reflections'

/** What spoken sessions need besides what all do. */
export interface Spoken {
  readonly host: StartingHost
  readonly newSessionId: () => SessionId
}
