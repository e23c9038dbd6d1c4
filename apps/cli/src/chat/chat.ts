import type { AgentSession, ApprovalDecision, CallId, SessionEvent, SessionId } from '@parley/contracts'
import type { SentMessage, Sessions } from '@parley/engine'
import type { Attachment } from './attachments.ts'

/** A user action that leads to an answer. */
export type UserAction =
  | { readonly kind: 'say'; readonly text: string; readonly media?: readonly Attachment[] }
  /** Continues the last, unanswered turn. */
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

/** One session as a terminal uses it: it performs the user's actions and reads their events. */
export interface Chat {
  /** Known once there is a message. */
  readonly sessionId: SessionId | undefined
  perform(action: UserAction, onEvent: (event: SessionEvent) => void | Promise<void>): Promise<TurnStop>
  switchTo(sessionId: SessionId): void
  /** Stops the answer and keeps the partial text. Does not stop a turn of another terminal. */
  stop(): void
}

interface ChatStart {
  /** Opens the session with the first message, so that an unused prompt leaves nothing behind. */
  readonly openSession: (firstMessage?: string) => Promise<Pick<AgentSession, 'id'>>
  readonly sessionId?: SessionId
  /** The number of the last known event. */
  readonly after: number
}

/** The session operations of a chat, local or on a server. */
export type ChatSessions = Pick<Sessions, 'send' | 'continue' | 'decide' | 'cancel' | 'streamEvents'>

export function createChat(sessions: ChatSessions, start: ChatStart): Chat {
  const { openSession, after } = start
  let { sessionId } = start
  let seen = after
  let isRunning = false
  let isStopping = false

  return {
    get sessionId() {
      return sessionId
    },

    async perform(action, onEvent) {
      isStopping = false
      const id = (sessionId ??= (await openSession(action.kind === 'say' ? action.text : undefined)).id)
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

function startTurn(sessions: ChatSessions, sessionId: SessionId, action: UserAction): Promise<SentMessage> {
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
