import { type ApiClient, type Transcript, type WaitingCall, listTurns } from '@parley/api-client'
import { type ApprovalDecision, type CallId, type SessionEvent, type SessionId } from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { getErrorMessage, hasErrorCode } from '../ui/error-message.ts'
import { NO_REQUEST, type OpenSession, type Outgoing, type TurnRequest } from './session-state.ts'
import { getMessageText } from './text-labels.ts'

/** The messages not yet in the transcript. An unconfirmed message is matched by its text. */
function findUnsentMessages(outbox: readonly Outgoing[], transcript: Transcript): readonly Outgoing[] {
  if (outbox.length === 0) return outbox
  const turns = listTurns(transcript)
  const hasArrived = ({ text, afterTurn, turnId }: Outgoing) =>
    transcript.eventTurns.some((turn) => turn.turnId === turnId) ||
    turns.some(
      ({ key, question }) => key > afterTurn && question !== undefined && getMessageText(question) === text,
    )
  return outbox.some(hasArrived) ? outbox.filter((outgoing) => !hasArrived(outgoing)) : outbox
}

const getStorageName = (sessionId: SessionId) => `session.${sessionId}.outbox`

/** Restores unsent messages as failed. They may have arrived; resending does not duplicate them. */
export function readOutbox(storage: BrowserStorage, sessionId: SessionId): readonly Outgoing[] {
  const stored = storage.read(getStorageName(sessionId))
  if (stored === undefined) return []
  const outbox = JSON.parse(stored) as readonly Outgoing[]
  return outbox.map(({ key, text, afterTurn }) => ({ key, text, afterTurn, state: 'failed' }))
}

export function saveOutbox(storage: BrowserStorage, sessionId: SessionId, outbox: readonly Outgoing[]): void {
  storage.write(getStorageName(sessionId), outbox.length === 0 ? undefined : JSON.stringify(outbox))
}

interface TurnRequestsHost {
  readonly client: ApiClient
  readonly sessionId: SessionId
  readonly getOpen: () => OpenSession | undefined
  readonly change: (part: Partial<OpenSession>) => void
  readonly onSent: () => void
  /** Called when the shown state is outdated. */
  readonly onOvertaken: (request: TurnRequest) => void
}

/** Sends a person's request for a stopped turn, one at a time. */
export function createTurnRequests({
  client,
  sessionId,
  getOpen,
  change,
  onSent,
  onOvertaken,
}: TurnRequestsHost) {
  let allowed: CallId | undefined

  const send = async (request: () => Promise<unknown>) => {
    if (getOpen()?.request.kind === 'pending') return
    change({ request: { kind: 'pending' } })
    try {
      await request()
      onSent()
    } catch (failure) {
      if (hasErrorCode(failure, 'approval_not_pending')) onOvertaken(OVERTAKEN)
      else change({ request: { kind: 'refused', reason: getErrorMessage(failure) } })
    }
  }

  return {
    /** Continues the last turn, which has no answer. */
    continueTurn: () => void send(() => client.sessions.continue(sessionId)),

    /** Decides on the call as shown; ignored if the call has changed. */
    decide: ({ callId, inputHash }: Pick<WaitingCall, 'callId' | 'inputHash'>, decision: ApprovalDecision) =>
      void send(() => {
        allowed = decision === 'refuse' ? undefined : callId
        return client.sessions.decide({
          sessionId,
          callId,
          decision,
          ...(inputHash !== undefined && { inputHash }),
        })
      }),

    /** The request state after an event. */
    updateRequest(event: SessionEvent, before: TurnRequest, movesTurn: boolean): TurnRequest {
      if (event.type === 'agent:tool_result') allowed = undefined
      if (!movesTurn) return before
      if (event.type === 'agent:approval_requested') {
        const isSameCall = event.callId === allowed
        allowed = undefined
        if (isSameCall) return CHANGED
      }
      return before.kind === 'overtaken' && event.type !== 'session:turn_started' ? before : NO_REQUEST
    },
  }
}

const OVERTAKEN: TurnRequest = {
  kind: 'overtaken',
  reason: 'Your answer was not used: this was decided elsewhere, or it changed. The current state is shown.',
}

const CHANGED: TurnRequest = {
  kind: 'refused',
  reason: 'This call changed after you allowed it, so it did not run. Review it again.',
}

interface SenderHost {
  readonly sessionId: SessionId
  readonly client: ApiClient
  readonly storage: BrowserStorage
  readonly createKey: () => string
  readonly getOpen: () => OpenSession | undefined
  readonly change: (part: Partial<OpenSession>) => void
  readonly onFailed: () => void
}

/** Sends messages and keeps each until the transcript shows it. */
export function createSender({
  sessionId,
  client,
  storage,
  createKey,
  getOpen,
  change,
  onFailed,
}: SenderHost) {
  const changeOutbox = (outbox: readonly Outgoing[]) => {
    saveOutbox(storage, sessionId, outbox)
    change({ outbox })
  }
  const updateOutgoing = (key: string, part: Partial<Outgoing>) => {
    const outbox = getOpen()?.outbox ?? []
    changeOutbox(outbox.map((outgoing) => (outgoing.key === key ? { ...outgoing, ...part } : outgoing)))
  }
  const settle = () => {
    const open = getOpen()
    if (!open) return
    const unsent = findUnsentMessages(open.outbox, open.transcript)
    if (unsent !== open.outbox) changeOutbox(unsent)
  }

  const attempt = async ({ key, text }: Outgoing) => {
    updateOutgoing(key, { state: 'sending' })
    try {
      const { turnId } = await client.sessions.send({ sessionId, text, idempotencyKey: key })
      updateOutgoing(key, { state: 'accepted', turnId })
      settle()
    } catch (failure) {
      updateOutgoing(key, { state: 'failed', reason: getErrorMessage(failure) })
      onFailed()
    }
  }

  return {
    /** Drops messages that the transcript now shows. */
    settle,

    send: (text: string) => {
      const open = getOpen()
      if (!open) return
      const afterTurn = listTurns(open.transcript).at(-1)?.key ?? 0
      const outgoing: Outgoing = { key: createKey(), text, afterTurn, state: 'sending' }
      changeOutbox([...open.outbox, outgoing])
      void attempt(outgoing)
    },

    sendAgain: (key: string) => {
      const outgoing = getOpen()?.outbox.find((one) => one.key === key)
      if (outgoing) void attempt(outgoing)
    },

    discard: (key: string) => {
      changeOutbox((getOpen()?.outbox ?? []).filter((outgoing) => outgoing.key !== key))
    },
  }
}

/** Not `randomUUID`: browsers offer it only over HTTPS or on localhost. */
export function createRandomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
