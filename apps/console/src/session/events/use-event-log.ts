import type { SessionView } from '@parley/contracts'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { isCallOn } from '../session-reader.ts'
import { createEventLog, type EventLog } from './create-event-log.ts'

/** All events of a session, live. */
export function useEventLog(session: SessionView): EventLog {
  const { client } = useConsoleHost()
  const [log] = useState(() => createEventLog(session.sessionId, session.lastSequence, client))
  // What happened in a call comes once it is over, and nobody tells of it.
  const isCall = isCallOn(session)
  useEffect(() => log.open(), [log, isCall])
  return useSyncExternalStore(log.subscribe, log.state)
}
