import { createContext, use } from 'react'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'

/** What the views of one session work with. */
export interface SessionHost {
  readonly open: OpenSession
  readonly reader: SessionReader
}

export const SessionHostContext = createContext<SessionHost | undefined>(undefined)

export function useOpenSession(): SessionHost {
  const host = use(SessionHostContext)
  if (!host) throw new Error('This part of the page belongs inside a session.')
  return host
}
