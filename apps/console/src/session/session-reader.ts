import {
  type ApiClient,
  applyEvent,
  type ConnectionState,
  openTranscript,
  withEarlier,
} from '@parley/api-client'
import type { SessionEvent, SessionId, SessionView } from '@parley/contracts'
import type { Keep } from '../app/keep.ts'
import { messageOf } from '../ui/message-of.ts'
import { createAsker } from './create-asker.ts'
import { createSender } from './create-sender.ts'
import { hasEarlier, lastMessages, messagesBefore } from './message-pages.ts'
import { keptOutbox } from './outbox.ts'
import { type Asking, NOTHING_ASKED, type OpenSession, type SessionState } from './session-state.ts'
import { createShownState } from './shown-state.ts'

export interface ReaderHost {
  readonly client: ApiClient
  readonly keep: Keep
  readonly newKey: () => string
  /** Called when a turn starts, waits, goes on or ends. */
  readonly onTurn?: () => void
  /** Called with the session each time that it was asked for. */
  readonly onSession?: (session: SessionView) => void
  /** An open turn that says nothing for this long is asked after: its process may have died. */
  readonly quietMs?: number
}

/** Whether what is said in a call has not come yet: it comes all at once, and nobody tells of it. */
export const isCallOn = (session: SessionView | undefined): boolean =>
  session?.reflection?.transcript === 'pending'

export type SessionReader = ReturnType<typeof createSessionReader>

const MOVES_TURN: ReadonlySet<SessionEvent['type']> = new Set([
  'session:turn_started',
  'session:turn_completed',
  'agent:approval_requested',
  'agent:approval_answered',
])

/** Events that come faster than this are shown together. */
const SHOW_EVERY_MS = 30

/** One session as a page shows it: loaded, followed, written to. */
export function createSessionReader(sessionId: SessionId, host: ReaderHost) {
  const { client, keep, onTurn, onSession, quietMs = 5_000 } = host
  const shown = createShownState<SessionState>({ kind: 'loading' }, SHOW_EVERY_MS)
  let quiet: ReturnType<typeof setTimeout> | undefined
  let leaving = new AbortController()

  const opened = () => {
    const state = shown.get()
    return state.kind === 'open' ? state : undefined
  }
  const change = (part: Partial<OpenSession>) => {
    const open = opened()
    if (open) shown.set({ ...open, ...part })
  }

  const sender = createSender({ ...host, sessionId, opened, change, onFailed: () => void refresh() })

  const asker = createAsker({
    client,
    sessionId,
    opened,
    change,
    onAsked: () => watch(),
    onOvertaken: (asking) => follow(asking),
  })

  const take = (event: SessionEvent) => {
    const open = opened()
    if (!open) return
    const transcript = applyEvent(open.transcript, event)
    const moves = MOVES_TURN.has(event.type) && event.sequenceNumber > transcript.openedAt
    shown.setSoon({
      ...open,
      transcript,
      stopping: open.stopping && transcript.openTurn !== undefined,
      asking: asker.after(event, open.asking, moves),
    })
    watch()
    if (event.type === 'session:turn_started') sender.settle()
    if (!moves) return
    onTurn?.()
    void refresh()
  }

  /** The title comes with the first message. Where it cannot be had now, the next turn asks again. */
  const refresh = async () => {
    const session = await client.sessions.get(sessionId).catch(() => undefined)
    // An answer may be overtaken by a later one.
    if (!session || session.updatedAt < (opened()?.session.updatedAt ?? '')) return
    onSession?.(session)
    change({ session })
  }

  const watch = () => {
    clearTimeout(quiet)
    const open = opened()
    if (open?.transcript.openTurn || open?.asking.kind === 'asked' || isCallOn(open?.session))
      quiet = setTimeout(() => void askAfter(), quietMs)
  }
  /** Nobody tells of the death of a process; the session itself knows how its turn stands. */
  const askAfter = async () => {
    const { signal } = leaving
    const session = await client.sessions.get(sessionId).catch(() => undefined)
    if (signal.aborted) return
    const known = opened()?.transcript.openTurn
    const isSameCall = isCallOn(session) === isCallOn(opened()?.session)
    const isSameTurn =
      session?.openTurn?.turnId === known?.turnId && session?.openTurn?.state === known?.state
    const isAsKnown = isSameTurn && isSameCall
    if (!session || isAsKnown) return watch()
    onTurn?.()
    follow()
  }

  /** Reads the session anew, from what is stored now on. */
  const follow = (asking: Asking = NOTHING_ASKED) => {
    leaving.abort()
    leaving = new AbortController()
    void read(leaving.signal, asking)
  }
  const read = async (signal: AbortSignal, asking: Asking) => {
    try {
      const session = await client.sessions.get(sessionId)
      const loaded = await lastMessages(client, session)
      if (signal.aborted) return
      onSession?.(session)
      const transcript = openTranscript(session, loaded)
      shown.set({
        kind: 'open',
        session,
        transcript,
        connection: 'live',
        earlier: hasEarlier(loaded) ? 'there' : 'none',
        outbox: keptOutbox(keep, sessionId),
        stopping: false,
        asking,
      })
      sender.settle()
      watch()
      await listen(signal)
    } catch (failure) {
      fail(failure, signal)
    }
  }
  const listen = async (signal: AbortSignal) => {
    const after = opened()?.transcript.seen ?? 0
    const onConnection = (connection: ConnectionState) => signal.aborted || change({ connection })
    for await (const event of client.sessions.events({ sessionId, after, signal, onConnection })) {
      if (signal.aborted) return
      take(event)
    }
  }
  const fail = (failure: unknown, signal: AbortSignal) => {
    // To a visitor a session that was ended is closed: what was said in it stays to be read.
    if (signal.aborted || opened()?.session.status === 'ended') return
    shown.set({ kind: 'failed', error: messageOf(failure), failure })
  }

  const pause = () => {
    clearTimeout(quiet)
    leaving.abort()
  }

  const cancel = async () => {
    const answer = await client.sessions.cancel(sessionId).catch(() => undefined)
    if (!answer?.cancelled) change({ stopping: false })
  }

  const loadEarlier = async () => {
    const asked = opened()
    if (!asked || asked.earlier === 'loading') return
    change({ earlier: 'loading' })
    try {
      const items = await messagesBefore(client, asked.session, asked.transcript.messages)
      const { transcript } = opened() ?? asked
      change({ transcript: withEarlier(transcript, items), earlier: hasEarlier(items) ? 'there' : 'none' })
    } catch {
      change({ earlier: 'failed' })
    }
  }

  return {
    state: shown.get,
    subscribe: shown.subscribe,

    /** Loads the session and follows it until the returned function is called; `stands`: what is shown stays meanwhile. */
    open: (meanwhile: 'loads' | 'stands' = 'loads') => {
      if (meanwhile === 'loads') shown.set({ kind: 'loading' })
      follow()
      return pause
    },

    /** While nobody looks nothing is listened to: a browser has few connections for all of its windows. */
    pause,

    /** Goes on from what was last heard. */
    goOnListening: () => {
      if (!opened()) return follow()
      pause()
      leaving = new AbortController()
      const { signal } = leaving
      watch()
      void listen(signal).catch((failure: unknown) => fail(failure, signal))
      void refresh()
    },

    showEarlier: () => void loadEarlier(),

    /** Asks how the session stands: nobody tells that it was ended in another window. */
    lookAgain: () => void refresh(),

    /** Ends the session, or learns that it was ended. */
    end: async () => {
      try {
        const ended = await client.sessions.end(sessionId)
        const open = opened()
        if (open) change({ session: { ...open.session, ...ended } })
      } catch (failure) {
        await refresh()
        if (opened()?.session.status !== 'ended') throw failure
      }
    },

    send: sender.send,
    sendAgain: sender.sendAgain,
    discard: sender.discard,

    goOn: asker.goOn,
    decide: asker.decide,

    stop: () => {
      const open = opened()
      if (!open || open.stopping || open.transcript.openTurn === undefined) return
      change({ stopping: true })
      void cancel()
    },
  }
}
