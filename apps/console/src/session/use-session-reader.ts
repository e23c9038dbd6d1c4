import type { SessionId, SessionView } from '@parley/contracts'
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { APPROVALS } from '../approvals/use-approvals.ts'
import { SESSIONS, sessionKey } from '../shell/use-sessions.ts'
import { listenWhileSeen } from './listen-while-seen.ts'
import { newKey } from './new-key.ts'
import { createSessionReader, type SessionReader } from './session-reader.ts'
import type { SessionState } from './session-state.ts'

export function useSessionReader(sessionId: SessionId): {
  reader: SessionReader
  state: SessionState
  reopen: () => void
} {
  const { client, keep } = useConsoleHost()
  const queries = useQueryClient()
  const [reader] = useState(() =>
    createSessionReader(sessionId, {
      client,
      keep,
      newKey,
      onTurn: () => {
        void queries.invalidateQueries({ queryKey: SESSIONS })
        void queries.invalidateQueries({ queryKey: APPROVALS })
      },
      onSession: (session) => queries.setQueryData(sessionKey(sessionId), session),
    }),
  )
  const [attempt, setAttempt] = useState(0)
  useEffect(() => listenWhileSeen(reader), [reader, attempt])
  const state = useSyncExternalStore(reader.subscribe, reader.state)
  return { reader, state, reopen: () => setAttempt((last) => last + 1) }
}

/** The session as it was last heard of, in the list too, where it may have been renamed. */
export function useKnownSession(session: SessionView): SessionView {
  const { data } = useQuery<SessionView>({ queryKey: sessionKey(session.sessionId), queryFn: skipToken })
  return data ?? session
}
