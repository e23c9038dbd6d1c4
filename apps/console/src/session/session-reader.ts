import {
  type ApiClient,
  type ConnectionState,
  applyEvent,
  openTranscript,
  withEarlier,
} from '@parley/api-client'
import type { SessionEvent, SessionId, SessionMessage, SessionView } from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { messageOf } from '../ui/message-of.ts'
import { createTurnRequests, createSender, readOutbox } from './outbox.ts'
import {
  type TurnRequest,
  NO_REQUEST,
  type OpenSession,
  type SessionState,
  createBatchedState,
} from './session-state.ts'

export interface ReaderHost {
  readonly client: ApiClient
  readonly storage: BrowserStorage
  readonly newKey: () => string
  /** Called when a turn starts, waits, resumes or ends. */
  readonly onTurn?: () => void
  /** Called with the session after each fetch. */
  readonly onSession?: (session: SessionView) => void
  /** A turn silent for this long is checked: its process may have died. */
  readonly quietMs?: number
}

/** Whether a call's transcript is still missing. It arrives at once, without an event. */
export const isCallRunning = (session: SessionView | undefined): boolean =>
  session?.reflection?.transcript === 'pending'

export type SessionReader = ReturnType<typeof createSessionReader>

const MOVES_TURN: ReadonlySet<SessionEvent['type']> = new Set([
  'session:turn_started',
  'session:turn_completed',
  'agent:approval_requested',
  'agent:approval_answered',
])

/** Faster events are shown together. */
const SHOW_EVERY_MS = 30

/** Loads, follows and writes to one session. */
export function createSessionReader(sessionId: SessionId, host: ReaderHost) {
  const { client, storage, onTurn, onSession, quietMs = 5_000 } = host
  const shown = createBatchedState<SessionState>({ kind: 'loading' }, SHOW_EVERY_MS)
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

  const requests = createTurnRequests({
    client,
    sessionId,
    opened,
    change,
    onSent: () => watch(),
    onOvertaken: (request) => follow(request),
  })

  const apply = (event: SessionEvent) => {
    const open = opened()
    if (!open) return
    const transcript = applyEvent(open.transcript, event)
    const moves = MOVES_TURN.has(event.type) && event.sequenceNumber > transcript.openedAt
    shown.setSoon({
      ...open,
      transcript,
      stopping: open.stopping && transcript.openTurn !== undefined,
      request: requests.after(event, open.request, moves),
    })
    watch()
    if (event.type === 'session:turn_started') sender.settle()
    if (!moves) return
    onTurn?.()
    void refresh()
  }

  /** The title comes with the first message. If this fails, the next turn tries again. */
  const refresh = async () => {
    const session = await client.sessions.get(sessionId).catch(() => undefined)
    // Ignore a response that is older than the current state.
    if (!session || session.updatedAt < (opened()?.session.updatedAt ?? '')) return
    onSession?.(session)
    change({ session })
  }

  const watch = () => {
    clearTimeout(quiet)
    const open = opened()
    if (open?.transcript.openTurn || open?.request.kind === 'pending' || isCallRunning(open?.session))
      quiet = setTimeout(() => void checkTurn(), quietMs)
  }
  /** No event reports a dead process, so fetch the turn's state. */
  const checkTurn = async () => {
    const { signal } = leaving
    const session = await client.sessions.get(sessionId).catch(() => undefined)
    if (signal.aborted) return
    const known = opened()?.transcript.openTurn
    const isSameCall = isCallRunning(session) === isCallRunning(opened()?.session)
    const isSameTurn =
      session?.openTurn?.turnId === known?.turnId && session?.openTurn?.state === known?.state
    const isAsKnown = isSameTurn && isSameCall
    if (!session || isAsKnown) return watch()
    onTurn?.()
    follow()
  }

  /** Reloads the session from its stored state. */
  const follow = (request: TurnRequest = NO_REQUEST) => {
    leaving.abort()
    leaving = new AbortController()
    void read(leaving.signal, request)
  }
  const read = async (signal: AbortSignal, request: TurnRequest) => {
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
        outbox: readOutbox(storage, sessionId),
        stopping: false,
        request,
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
      apply(event)
    }
  }
  const fail = (failure: unknown, signal: AbortSignal) => {
    // Visitors cannot fetch an ended session; keep showing its messages.
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
    const before = opened()
    if (!before || before.earlier === 'loading') return
    change({ earlier: 'loading' })
    try {
      const items = await messagesBefore(client, before.session, before.transcript.messages)
      const { transcript } = opened() ?? before
      change({ transcript: withEarlier(transcript, items), earlier: hasEarlier(items) ? 'there' : 'none' })
    } catch {
      change({ earlier: 'failed' })
    }
  }

  return {
    state: shown.get,
    subscribe: shown.subscribe,

    /** Loads and follows the session until the returned function is called; `keep-view` shows the current view while loading. */
    open: (display: 'loading' | 'keep-view' = 'loading') => {
      if (display === 'loading') shown.set({ kind: 'loading' })
      follow()
      return pause
    },

    /** Stops listening while hidden: browsers limit connections across all windows. */
    pause,

    /** Resumes after the last received event. */
    resume: () => {
      if (!opened()) return follow()
      pause()
      leaving = new AbortController()
      const { signal } = leaving
      watch()
      void listen(signal).catch((failure: unknown) => fail(failure, signal))
      void refresh()
    },

    showEarlier: () => void loadEarlier(),

    /** Refetches the session: no event reports an end in another window. */
    refresh: () => void refresh(),

    /** Ends the session; succeeds if it already ended. */
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

    continueTurn: requests.continueTurn,
    decide: requests.decide,

    stop: () => {
      const open = opened()
      if (!open || open.stopping || open.transcript.openTurn === undefined) return
      change({ stopping: true })
      void cancel()
    },
  }
}

/** Messages loaded at first: more than fit on screen. */
const PAGE = 40

/** Earlier messages loaded at a time. */
const EARLIER_PAGE = 100

/** The last messages. More than a page if some arrived during loading. */
export async function lastMessages(
  client: ApiClient,
  { sessionId, messageCount }: SessionView,
): Promise<readonly SessionMessage[]> {
  return readMessages(client, sessionId, { after: Math.max(0, messageCount - PAGE), upTo: Infinity })
}

/** The page before these messages. */
async function messagesBefore(
  client: ApiClient,
  { sessionId }: SessionView,
  messages: readonly SessionMessage[],
): Promise<readonly SessionMessage[]> {
  const upTo = firstNumber(messages) - 1
  return readMessages(client, sessionId, { after: Math.max(0, upTo - EARLIER_PAGE), upTo })
}

/** The server returns shorter pages for long messages. */
async function readMessages(
  client: ApiClient,
  sessionId: SessionId,
  { after, upTo }: { after: number; upTo: number },
): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  let seen: number | undefined = after
  while (seen !== undefined && seen < upTo) {
    const limit = Math.min(EARLIER_PAGE, upTo - seen)
    const { items, nextCursor } = await client.sessions.messages({ sessionId, after: seen, limit })
    messages.push(...items)
    seen = nextCursor === undefined ? undefined : Number(nextCursor)
  }
  return messages
}

const hasEarlier = (messages: readonly SessionMessage[]): boolean => firstNumber(messages) > 1

const firstNumber = (messages: readonly SessionMessage[]) => messages[0]?.sequenceNumber ?? 1

/** Opens a session and listens while the page is visible. Returns a function that stops. */
export function followWhileVisible(
  reader: Pick<SessionReader, 'open' | 'pause' | 'resume'>,
  display?: Parameters<SessionReader['open']>[0],
): () => void {
  const update = () => (document.hidden ? reader.pause() : reader.resume())
  if (!document.hidden) reader.open(display)
  document.addEventListener('visibilitychange', update)
  return () => {
    document.removeEventListener('visibilitychange', update)
    reader.pause()
  }
}
