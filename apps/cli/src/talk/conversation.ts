import type { AgentSession, ApprovalDecision, CallId, SessionEvent, SessionId } from '@parley/contracts'
import type { SentMessage, Sessions } from '@parley/engine'
import type { Attachment } from '../message/attached-files.ts'

/** A user action that leads to an answer. */
export type Move =
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
  /** Yields the events of the turn. */
  make(move: Move, onEvent: (event: SessionEvent) => void | Promise<void>): Promise<TurnStop>
  /** Switches to another session. */
  goTo(sessionId: SessionId): void
  /** Stops the answer and keeps the partial text. Does not stop a turn of another terminal. */
  stop(): void
}

interface Beginning {
  /** Opens the session with the first message, so that an unused prompt leaves nothing behind. */
  readonly session: (firstMessage?: string) => Promise<Pick<AgentSession, 'id'>>
  /** The id of an existing session. */
  readonly sessionId?: SessionId
  /** The number of the last known event. */
  readonly after: number
}

/** The session operations of a conversation, local or on a server. */
export type ConversationSessions = Pick<Sessions, 'send' | 'continue' | 'decide' | 'cancel' | 'events'>

export function createConversation(sessions: ConversationSessions, beginning: Beginning): Conversation {
  const { session, after } = beginning
  let { sessionId } = beginning
  let seen = after
  let isRunning = false
  let isStopping = false

  return {
    get sessionId() {
      return sessionId
    },

    async make(move, onEvent) {
      isStopping = false
      const id = (sessionId ??= (await session(move.kind === 'say' ? move.text : undefined)).id)
      const { turnId, ended } = await begin(sessions, id, move)
      const broken = new AbortController()
      isRunning = true
      const stopped = () => (isRunning = false)
      ended?.then(stopped, () => {
        stopped()
        broken.abort()
      })
      if (isStopping) void sessions.cancel(id)
      for await (const event of sessions.events({ sessionId: id, after: seen, signal: broken.signal })) {
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

    goTo(next) {
      sessionId = next
      seen = 0
    },

    stop() {
      isStopping = true
      if (isRunning && sessionId) void sessions.cancel(sessionId)
    },
  }
}

function begin(sessions: ConversationSessions, sessionId: SessionId, move: Move): Promise<SentMessage> {
  switch (move.kind) {
    case 'say':
      return sessions.send(sessionId, { text: move.text, media: move.media ?? [] })
    case 'continue':
      return sessions.continue(sessionId)
    case 'decide':
      return sessions.decide(sessionId, move.callId, move)
    default:
      return move satisfies never
  }
}
