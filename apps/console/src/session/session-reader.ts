import {
  type ApiClient,
  applyEvent,
  type ConnectionState,
  openTranscript,
  type Transcript,
  turnsOf,
  withEarlier,
} from '@parley/api-client'
import type { SessionEvent, SessionId, SessionView } from '@parley/contracts'
import type { Keep } from '../app/keep.ts'
import { messageOf } from '../ui/message-of.ts'
import { hasEarlier, lastMessages, messagesBefore } from './message-pages.ts'
import { keepOutbox, keptOutbox, type Outgoing, stillOut } from './outbox.ts'
import { createShownState } from './shown-state.ts'

export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: string }
  | OpenSession

export interface OpenSession {
  readonly kind: 'open'
  readonly session: SessionView
  readonly transcript: Transcript
  readonly connection: ConnectionState
  readonly earlier: 'none' | 'there' | 'loading' | 'failed'
  readonly outbox: readonly Outgoing[]
  /** Set once the running turn was asked to stop. */
  readonly stopping: boolean
}

export interface ReaderHost {
  readonly client: ApiClient
  readonly keep: Keep
  readonly newKey: () => string
  /** Called when a turn starts or ends. */
  readonly onTurn?: () => void
  /** A turn that says nothing for this long is asked after: its process may have died. */
  readonly quietMs?: number
}

export type SessionReader = ReturnType<typeof createSessionReader>

/** Events that come faster than this are shown together. */
const SHOW_EVERY_MS = 30

/** One session as a page shows it: loaded, followed, written to. */
export function createSessionReader(sessionId: SessionId, host: ReaderHost) {
  const { client, keep, newKey, onTurn, quietMs = 5_000 } = host
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

  const changeOutbox = (outbox: readonly Outgoing[]) => {
    keepOutbox(keep, sessionId, outbox)
    change({ outbox })
  }
  const mark = (key: string, part: Partial<Outgoing>) => {
    const outbox = opened()?.outbox ?? []
    changeOutbox(outbox.map((outgoing) => (outgoing.key === key ? { ...outgoing, ...part } : outgoing)))
  }
  const settleOutbox = () => {
    const open = opened()
    if (!open) return
    const left = stillOut(open.outbox, open.transcript)
    if (left !== open.outbox) changeOutbox(left)
  }

  const take = (event: SessionEvent) => {
    const open = opened()
    if (!open) return
    const transcript = applyEvent(open.transcript, event)
    const stopping = open.stopping && transcript.runningTurnId !== undefined
    shown.setSoon({ ...open, transcript, stopping })
    watch()
    if (event.type === 'session:turn_started') settleOutbox()
    const isTurn = event.type === 'session:turn_started' || event.type === 'session:turn_completed'
    if (isTurn && event.sequenceNumber > transcript.openedAt) {
      onTurn?.()
      void refresh()
    }
  }

  /** The title comes with the first message. Where it cannot be had now, the next turn asks again. */
  const refresh = async () => {
    const session = await client.sessions.get(sessionId).catch(() => undefined)
    if (session) change({ session })
  }

  const watch = () => {
    clearTimeout(quiet)
    if (opened()?.transcript.runningTurnId === undefined) return
    quiet = setTimeout(() => void askAfter(), quietMs)
  }
  /** Nobody tells of the end of a turn whose process died; the session itself knows that nothing runs. */
  const askAfter = async () => {
    const { signal } = leaving
    const session = await client.sessions.get(sessionId).catch(() => undefined)
    if (signal.aborted) return
    const runningTurnId = opened()?.transcript.runningTurnId
    if (session && runningTurnId !== undefined && session.runningTurnId !== runningTurnId) follow()
    else watch()
  }

  /** Reads the session anew, from what is stored now on. */
  const follow = () => {
    leaving.abort()
    leaving = new AbortController()
    void read(leaving.signal)
  }
  const read = async (signal: AbortSignal) => {
    try {
      const session = await client.sessions.get(sessionId)
      const messages = await lastMessages(client, session)
      if (signal.aborted) return
      const transcript = openTranscript(session, messages)
      shown.set({
        kind: 'open',
        session,
        transcript,
        connection: 'live',
        earlier: hasEarlier(messages) ? 'there' : 'none',
        outbox: keptOutbox(keep, sessionId),
        stopping: false,
      })
      settleOutbox()
      watch()
      const after = transcript.seen
      const onConnection = (connection: ConnectionState) => signal.aborted || change({ connection })
      for await (const event of client.sessions.events({ sessionId, after, signal, onConnection })) {
        if (signal.aborted) return
        take(event)
      }
    } catch (failure) {
      if (!signal.aborted) shown.set({ kind: 'failed', error: messageOf(failure) })
    }
  }

  const attempt = async ({ key, text }: Outgoing) => {
    mark(key, { state: 'sending' })
    try {
      const { turnId } = await client.sessions.send({ sessionId, text, idempotencyKey: key })
      mark(key, { state: 'accepted', turnId })
      settleOutbox()
    } catch (failure) {
      mark(key, { state: 'failed', reason: messageOf(failure) })
    }
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

    /** Loads the session and follows it until the returned function is called. */
    open: () => {
      shown.set({ kind: 'loading' })
      follow()
      return () => {
        clearTimeout(quiet)
        leaving.abort()
      }
    },

    showEarlier: () => void loadEarlier(),

    send: (text: string) => {
      const open = opened()
      if (!open) return
      const afterTurn = turnsOf(open.transcript).at(-1)?.key ?? 0
      const outgoing: Outgoing = { key: newKey(), text, afterTurn, state: 'sending' }
      changeOutbox([...open.outbox, outgoing])
      void attempt(outgoing)
    },

    sendAgain: (key: string) => {
      const outgoing = opened()?.outbox.find((one) => one.key === key)
      if (outgoing) void attempt(outgoing)
    },

    discard: (key: string) => {
      changeOutbox((opened()?.outbox ?? []).filter((outgoing) => outgoing.key !== key))
    },

    stop: () => {
      const open = opened()
      if (!open || open.stopping || open.transcript.runningTurnId === undefined) return
      change({ stopping: true })
      void cancel()
    },
  }
}
