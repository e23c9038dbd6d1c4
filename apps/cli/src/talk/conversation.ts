import type { AgentSession, ApprovalDecision, CallId, SessionEvent, SessionId } from '@parley/contracts'
import type { SentMessage, Sessions } from '@parley/engine'
import type { Attachment } from '../message/read-message.ts'

/** A user action that leads to an answer. */
export type UserAction =
  | { readonly kind: 'say'; readonly text: string; readonly media?: readonly Attachment[] }
  /** Retries the last, unanswered turn. */
  | { readonly kind: 'continue' }
  | {
      readonly kind: 'decide'
      readonly callId: CallId
      readonly decision: ApprovalDecision
      readonly inputHash?: string | undefined
      readonly unattended?: true
    }

export type TurnEnd = Extract<SessionEvent, { type: 'session:turn_completed' }>
export type ApprovalRequest = Extract<SessionEvent, { type: 'agent:approval_requested' }>

/** The last event of a turn: its end, or a call that waits for approval. */
export type TurnStop = TurnEnd | ApprovalRequest

export interface Conversation {
  /** Known once there is a message. */
  readonly sessionId: SessionId | undefined
  perform(action: UserAction, onEvent: (event: SessionEvent) => void | Promise<void>): Promise<TurnStop>
  switchTo(sessionId: SessionId): void
  /** Stops the answer and keeps the partial text. Does not stop a turn of another terminal. */
  stop(): void
}

interface ConversationStart {
  /** Opens the session with the first message, so that an unused prompt leaves nothing behind. */
  readonly session: (firstMessage?: string) => Promise<Pick<AgentSession, 'id'>>
  readonly sessionId?: SessionId
  /** The number of the last known event. */
  readonly after: number
}

/** The session operations of a conversation, local or on a server. */
export type ConversationSessions = Pick<Sessions, 'send' | 'continue' | 'decide' | 'cancel' | 'streamEvents'>

export function createConversation(
  sessions: ConversationSessions,
  beginning: ConversationStart,
): Conversation {
  const { session, after } = beginning
  let { sessionId } = beginning
  let seen = after
  let isRunning = false
  let isStopping = false

  return {
    get sessionId() {
      return sessionId
    },

    async perform(action, onEvent) {
      isStopping = false
      const id = (sessionId ??= (await session(action.kind === 'say' ? action.text : undefined)).id)
      const { turnId, ended } = await startTurn(sessions, id, action)
      const broken = new AbortController()
      isRunning = true
      const stopped = () => (isRunning = false)
      ended?.then(stopped, () => {
        stopped()
        broken.abort()
      })
      if (isStopping) void sessions.cancel(id)
      for await (const event of sessions.streamEvents({
        sessionId: id,
        after: seen,
        signal: broken.signal,
      })) {
        seen = event.sequenceNumber
        // Another terminal may have added messages; `sessions show` prints them.
        if ('turnId' in event && event.turnId !== turnId) continue
        await onEvent(event)
        if (event.type !== 'session:turn_completed' && event.type !== 'agent:approval_requested') continue
        await ended
        return event
      }
      await ended
      throw new Error(`the turn ${turnId} stopped without a final event`)
    },

    switchTo(next) {
      sessionId = next
      seen = 0
    },

    stop() {
      isStopping = true
      if (isRunning && sessionId) void sessions.cancel(sessionId)
    },
  }
}

function startTurn(
  sessions: ConversationSessions,
  sessionId: SessionId,
  action: UserAction,
): Promise<SentMessage> {
  switch (action.kind) {
    case 'say':
      return sessions.send(sessionId, { text: action.text, media: action.media ?? [] })
    case 'continue':
      return sessions.continue(sessionId)
    case 'decide':
      return sessions.decide(sessionId, action.callId, action)
    default:
      return action satisfies never
  }
}

interface TurnDriver {
  readonly perform: (action: UserAction) => Promise<TurnStop>
  /** The decision on a waiting call; `leave` leaves it waiting, `unattended` means no. */
  readonly decide: (request: ApprovalRequest) => Promise<ApprovalDecision | 'leave' | 'unattended'>
}

/** Follows a turn to its end and asks for each waiting call. Ends at an undecided call. */
export async function followTurn(
  from: UserAction | ApprovalRequest,
  { perform, decide }: TurnDriver,
): Promise<TurnStop> {
  let stop = 'kind' in from ? await perform(from) : from
  while (stop.type === 'agent:approval_requested') {
    const { callId, inputHash } = stop
    const decision = await decide(stop)
    if (decision === 'leave') break
    stop = await perform(
      decision === 'unattended'
        ? { kind: 'decide', callId, decision: 'refuse', inputHash, unattended: true }
        : { kind: 'decide', callId, decision, inputHash },
    )
  }
  return stop
}
