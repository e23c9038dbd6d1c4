import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'
import { createRequiredContext } from '../ui/required-context.ts'

/** The open session, for its views. */
interface SessionHost {
  readonly open: OpenSession
  readonly reader: SessionReader
}

export const [SessionHostContext, useOpenSession] = createRequiredContext<SessionHost>('SessionHostContext')
