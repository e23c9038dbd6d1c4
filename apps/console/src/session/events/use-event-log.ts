import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ApiClient, ConnectionState } from '@parley/api-client'
import type { SessionEvent, SessionId, SessionView, TurnId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { messageOf } from '../../ui/message-of.ts'
import { isCallOn } from '../session-reader.ts'
import { createShownState } from '../shown-state.ts'
import { numberTurn } from './turn-numbers.ts'

/** All events of a session, live. */
export function useEventLog(session: SessionView): EventLog {
  const { client } = useConsoleHost()
  const [log] = useState(() => createEventLog(session.sessionId, session.lastSequence, client))
  // What happened in a call comes once it is over, and nobody tells of it.
  const isCall = isCallOn(session)
  useEffect(() => log.open(), [log, isCall])
  return useSyncExternalStore(log.subscribe, log.state)
}

interface EventLog {
  /** One list that grows, so that a long session is not gone through again with every event. */
  readonly events: readonly SessionEvent[]
  /** How many of them are shown. */
  readonly count: number
  /** Which turn of the session each is, from 1. */
  readonly turns: ReadonlyMap<TurnId, number>
  readonly connection: ConnectionState
  /** Set once all that is stored has been read: what comes now is new. */
  readonly isUpToDate: boolean
  readonly error?: string
}

/** Events that come faster than this are shown together. */
const SHOW_EVERY_MS = 60

/** All events of a session, from the first, and then as they come. */
export function createEventLog(sessionId: SessionId, lastStored: number, client: ApiClient) {
  const shown = createShownState<EventLog>(
    { events: [], count: 0, turns: new Map(), connection: 'live', isUpToDate: lastStored === 0 },
    SHOW_EVERY_MS,
  )
  const read = async (signal: AbortSignal) => {
    const events: SessionEvent[] = []
    const turns = new Map<TurnId, number>()
    const onConnection = (connection: ConnectionState) =>
      signal.aborted || shown.set({ ...shown.get(), connection })
    try {
      for await (const event of client.sessions.events({ sessionId, after: 0, signal, onConnection })) {
        if (signal.aborted) return
        events.push(event)
        numberTurn(turns, event)
        const isUpToDate = event.sequenceNumber >= lastStored
        shown.setSoon({ ...shown.get(), events, count: events.length, turns, isUpToDate })
      }
    } catch (failure) {
      if (!signal.aborted) shown.set({ ...shown.get(), error: messageOf(failure) })
    }
  }
  return {
    state: shown.get,
    subscribe: shown.subscribe,
    /** Reads until the returned function is called. */
    open: () => {
      const leaving = new AbortController()
      void read(leaving.signal)
      return () => leaving.abort()
    },
  }
}
