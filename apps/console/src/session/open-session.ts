import { createContext, use } from 'react'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'

/** The open session, for its views. */
interface SessionHost {
  readonly open: OpenSession
  readonly reader: SessionReader
}

export const SessionHostContext = createContext<SessionHost | undefined>(undefined)

export function useOpenSession(): SessionHost {
  const host = use(SessionHostContext)
  if (!host) throw new Error('SessionHostContext is missing: this component belongs inside a session.')
  return host
}
