import {
  type ApiClient,
  type ConnectionState,
  applyEvent,
  openTranscript,
  addEarlierMessages,
} from '@parley/api-client'
import type { SessionEvent, SessionId, SessionView } from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { getErrorMessage } from '../ui/error-message.ts'
import { hasEarlierMessages, loadLastMessages, loadMessagesBefore } from './load-messages.ts'
import { createTurnRequests, createSender, readOutbox } from './outbox.ts'
import {
  type TurnRequest,
  NO_REQUEST,
  type OpenSession,
  type SessionState,
  type BatchedState,
  createBatchedState,
  isVoiceCallRunning,
} from './session-state.ts'

export interface ReaderHost {
  readonly client: ApiClient
  readonly storage: BrowserStorage
  readonly createKey: () => string
  /** Called when a turn starts, waits, resumes or ends. */
  readonly onTurn?: () => void
  readonly onSession?: (session: SessionView) => void
  /** A turn silent for this long is checked: its process may have died. */
  readonly quietMs?: number
}

export type SessionReader = ReturnType<typeof createSessionReader>

/** Faster events are shown together. */
const SHOW_EVERY_MS = 30

/** Loads, follows and writes to one session. */
export function createSessionReader(sessionId: SessionId, host: ReaderHost) {
  const shown = createBatchedState<SessionState>({ kind: 'loading' }, SHOW_EVERY_MS)
  const getOpen = () => getOpenSession(shown)
  const change = (part: Partial<OpenSession>) => changeOpenSession(shown, part)
  const reader: Reader = {
    ...host,
    sessionId,
    shown,
    leaving: new AbortController(),
    quietTimer: undefined,
    sender: createSender({
      ...host,
      sessionId,
      getOpen,
      change,
      onFailed: () => void refreshSession(reader),
    }),
    requests: createTurnRequests({
      client: host.client,
      sessionId,
      getOpen,
      change,
      onSent: () => watchTurn(reader),
      onOvertaken: (request) => startFollowing(reader, request),
    }),
  }
  const { sender, requests } = reader
  return {
    state: shown.get,
    subscribe: shown.subscribe,

    /** Loads and follows the session until the returned function is called; `keep-view` shows the current view while loading. */
    open: (display: 'loading' | 'keep-view' = 'loading') => {
      if (display === 'loading') shown.set({ kind: 'loading' })
      startFollowing(reader)
      return () => pauseReader(reader)
    },

    /** Stops listening while hidden: browsers limit connections across all windows. */
    pause: () => pauseReader(reader),

    /** Resumes after the last received event. */
    resume: () => resumeReader(reader),

    showEarlier: () => void loadEarlier(reader),

    /** Refetches the session: no event reports an end in another window. */
    refresh: () => void refreshSession(reader),

    /** Ends the session; succeeds if it already ended. */
    end: () => endSession(reader),

    send: sender.send,
    sendAgain: sender.sendAgain,
    discard: sender.discard,

    continueTurn: requests.continueTurn,
    decide: requests.decide,

    stop: () => void stopTurn(reader),
  }
}

interface Reader extends ReaderHost {
  readonly sessionId: SessionId
  readonly shown: BatchedState<SessionState>
  readonly sender: ReturnType<typeof createSender>
  readonly requests: ReturnType<typeof createTurnRequests>
  /** Aborted when the reader stops listening or loads again. */
  leaving: AbortController
  quietTimer: ReturnType<typeof setTimeout> | undefined
}

function getOpenSession(shown: BatchedState<SessionState>): OpenSession | undefined {
  const state = shown.get()
  return state.kind === 'open' ? state : undefined
}

function changeOpenSession(shown: BatchedState<SessionState>, part: Partial<OpenSession>): void {
  const open = getOpenSession(shown)
  if (open) shown.set({ ...open, ...part })
}

/** Loads the session from its stored state, and follows it. */
function startFollowing(reader: Reader, request: TurnRequest = NO_REQUEST): void {
  reader.leaving.abort()
  reader.leaving = new AbortController()
  const { signal } = reader.leaving
  loadSession(reader, signal, request).catch((failure: unknown) => showFailure(reader, failure, signal))
}

async function loadSession(reader: Reader, signal: AbortSignal, request: TurnRequest): Promise<void> {
  const { client, storage, sessionId, shown, sender, onSession } = reader
  const session = await client.sessions.get(sessionId)
  const messages = await loadLastMessages(client, session)
  if (signal.aborted) return
  onSession?.(session)
  shown.set({
    kind: 'open',
    session,
    transcript: openTranscript(session, messages),
    connection: 'live',
    earlier: hasEarlierMessages(messages) ? 'available' : 'none',
    outbox: readOutbox(storage, sessionId),
    stopping: false,
    request,
  })
  sender.settle()
  watchTurn(reader)
  await listenToEvents(reader, signal)
}

async function listenToEvents(reader: Reader, signal: AbortSignal): Promise<void> {
  const { client, sessionId, shown } = reader
  const after = getOpenSession(shown)?.transcript.seen ?? 0
  const onConnection = (connection: ConnectionState) =>
    signal.aborted || changeOpenSession(shown, { connection })
  for await (const event of client.sessions.events({ sessionId, after, signal, onConnection })) {
    if (signal.aborted) return
    showEvent(reader, event)
  }
}

function showFailure({ shown }: Reader, failure: unknown, signal: AbortSignal): void {
  // Visitors cannot fetch an ended session; keep showing its messages.
  if (signal.aborted || getOpenSession(shown)?.session.status === 'ended') return
  shown.set({ kind: 'failed', error: getErrorMessage(failure), failure })
}

const MOVES_TURN: ReadonlySet<SessionEvent['type']> = new Set([
  'session:turn_started',
  'session:turn_completed',
  'agent:approval_requested',
  'agent:approval_answered',
])

function showEvent(reader: Reader, event: SessionEvent): void {
  const { shown, sender, requests, onTurn } = reader
  const open = getOpenSession(shown)
  if (!open) return
  const transcript = applyEvent(open.transcript, event)
  const movesTurn = MOVES_TURN.has(event.type) && event.sequenceNumber > transcript.openedAt
  shown.setSoon({
    ...open,
    transcript,
    stopping: open.stopping && transcript.openTurn !== undefined,
    request: requests.updateRequest(event, open.request, movesTurn),
  })
  watchTurn(reader)
  if (event.type === 'session:turn_started') sender.settle()
  if (!movesTurn) return
  onTurn?.()
  void refreshSession(reader)
}

/** The title comes with the first message. If this fails, the next turn tries again. */
async function refreshSession({ client, sessionId, shown, onSession }: Reader): Promise<void> {
  const session = await client.sessions.get(sessionId).catch(() => undefined)
  // Ignore a response that is older than the current state.
  if (!session || session.updatedAt < (getOpenSession(shown)?.session.updatedAt ?? '')) return
  onSession?.(session)
  changeOpenSession(shown, { session })
}

const QUIET_MS = 5_000

/** Checks an open turn that is silent for some time. */
function watchTurn(reader: Reader): void {
  const { shown, quietMs = QUIET_MS } = reader
  clearTimeout(reader.quietTimer)
  const open = getOpenSession(shown)
  if (open?.transcript.openTurn || open?.request.kind === 'pending' || isVoiceCallRunning(open?.session))
    reader.quietTimer = setTimeout(() => void checkTurn(reader), quietMs)
}

/** No event reports a dead process, so fetch the turn's state. */
async function checkTurn(reader: Reader): Promise<void> {
  const { client, sessionId, shown, onTurn } = reader
  const { signal } = reader.leaving
  const session = await client.sessions.get(sessionId).catch(() => undefined)
  if (signal.aborted) return
  const open = getOpenSession(shown)
  const shownTurn = open?.transcript.openTurn
  const isUnchanged =
    session?.openTurn?.turnId === shownTurn?.turnId &&
    session?.openTurn?.state === shownTurn?.state &&
    isVoiceCallRunning(session) === isVoiceCallRunning(open?.session)
  if (!session || isUnchanged) return watchTurn(reader)
  onTurn?.()
  startFollowing(reader)
}

function pauseReader(reader: Reader): void {
  clearTimeout(reader.quietTimer)
  reader.leaving.abort()
}

function resumeReader(reader: Reader): void {
  if (!getOpenSession(reader.shown)) return startFollowing(reader)
  pauseReader(reader)
  reader.leaving = new AbortController()
  const { signal } = reader.leaving
  watchTurn(reader)
  listenToEvents(reader, signal).catch((failure: unknown) => showFailure(reader, failure, signal))
  void refreshSession(reader)
}

async function loadEarlier({ client, shown }: Reader): Promise<void> {
  const before = getOpenSession(shown)
  if (!before || before.earlier === 'loading') return
  changeOpenSession(shown, { earlier: 'loading' })
  try {
    const messages = await loadMessagesBefore(client, before.session, before.transcript.messages)
    const { transcript } = getOpenSession(shown) ?? before
    changeOpenSession(shown, {
      transcript: addEarlierMessages(transcript, messages),
      earlier: hasEarlierMessages(messages) ? 'available' : 'none',
    })
  } catch {
    changeOpenSession(shown, { earlier: 'failed' })
  }
}

async function endSession(reader: Reader): Promise<void> {
  const { client, sessionId, shown } = reader
  try {
    const ended = await client.sessions.end(sessionId)
    const open = getOpenSession(shown)
    if (open) changeOpenSession(shown, { session: { ...open.session, ...ended } })
  } catch (failure) {
    await refreshSession(reader)
    if (getOpenSession(shown)?.session.status !== 'ended') throw failure
  }
}

async function stopTurn({ client, sessionId, shown }: Reader): Promise<void> {
  const open = getOpenSession(shown)
  if (!open || open.stopping || open.transcript.openTurn === undefined) return
  changeOpenSession(shown, { stopping: true })
  const answer = await client.sessions.cancel(sessionId).catch(() => undefined)
  if (!answer?.cancelled) changeOpenSession(shown, { stopping: false })
}

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
