import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ApiClient, ConnectionState } from '@parley/api-client'
import type { SessionEvent, SessionId, SessionView, TurnId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { getErrorMessage } from '../../ui/error-message.ts'
import { createBatchedState, isVoiceCallRunning } from '../session-state.ts'

/** All events of a session, live. */
export function useEventLog(session: SessionView): EventLog {
  const { client } = useConsoleHost()
  const [log] = useState(() => createEventLog(session.sessionId, session.lastSequence, client))
  // A call's events arrive after it, without notification.
  const isCall = isVoiceCallRunning(session)
  useEffect(() => log.open(), [log, isCall])
  return useSyncExternalStore(log.subscribe, log.state)
}

interface EventLog {
  /** One growing array, so a long session is not rescanned for each event. */
  readonly events: readonly SessionEvent[]
  readonly count: number
  /** Turn numbers by id, from 1. */
  readonly turns: ReadonlyMap<TurnId, number>
  readonly connection: ConnectionState
  /** True once all stored events are read; further events are new. */
  readonly isUpToDate: boolean
  readonly error?: string
}

/** Faster events are shown together. */
const SHOW_EVERY_MS = 60

/** Reads all events of a session, then follows new ones. */
export function createEventLog(sessionId: SessionId, lastStored: number, client: ApiClient) {
  const shown = createBatchedState<EventLog>(
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
      if (!signal.aborted) shown.set({ ...shown.get(), error: getErrorMessage(failure) })
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

/** The number of an event's turn; undefined between turns. */
export function getTurnNumber(numbers: ReadonlyMap<TurnId, number>, event: SessionEvent): number | undefined {
  return 'turnId' in event && event.turnId !== undefined ? numbers.get(event.turnId) : undefined
}

/** Numbers the turn of an event, from 1, in starting order. */
export function numberTurn(numbers: Map<TurnId, number>, event: SessionEvent): void {
  if (!('turnId' in event) || event.turnId === undefined || numbers.has(event.turnId)) return
  numbers.set(event.turnId, numbers.size + 1)
}
