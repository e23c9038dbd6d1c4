import type { AgentSession, ApprovalDecision, CallId, SessionEvent, SessionId } from '@parley/contracts'
import type { SentMessage, Sessions } from '@parley/engine'
import type { Attachment } from '../message/attached-files.ts'

/** What a person does that has an answer. */
export type Move =
  | { readonly kind: 'say'; readonly text: string; readonly media?: readonly Attachment[] }
  /** Goes on with the last turn, which came to no answer. */
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

/** The event that a turn stops with: its end, or a call that waits for the person. */
export type TurnStop = TurnEnd | ApprovalRequest

/** One session, as a person talks in it. */
export interface Conversation {
  /** Known once something was said, now or in earlier times. */
  readonly sessionId: SessionId | undefined
  /** Hands on the events of the turn, up to its stop. */
  make(move: Move, onEvent: (event: SessionEvent) => void | Promise<void>): Promise<TurnStop>
  /** Goes on in another session, of which nothing is known yet. */
  goTo(sessionId: SessionId): void
  /** Stops the answer; what was said of it is kept. A turn of another terminal is left alone. */
  stop(): void
}

interface Beginning {
  /** The session to talk in; asked for with the first message, so that an unused prompt leaves nothing behind. */
  readonly session: (firstMessage?: string) => Promise<Pick<AgentSession, 'id'>>
  /** Its id, where it is there already. */
  readonly sessionId?: SessionId
  /** The number of the last event that is known already. */
  readonly after: number
}

/** What of sessions it takes to talk in one, here or at a server. */
export type TalkedIn = Pick<Sessions, 'send' | 'continue' | 'decide' | 'cancel' | 'events'>

export function createConversation(sessions: TalkedIn, beginning: Beginning): Conversation {
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
        // Another terminal may have talked in this session meanwhile; `sessions show` has it all.
        if ('turnId' in event && event.turnId !== turnId) continue
        await onEvent(event)
        if (event.type !== 'session:turn_completed' && event.type !== 'agent:approval_requested') continue
        await ended
        return event
      }
      await ended
      throw new Error(`the turn ${turnId} stopped without its last event`)
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

function begin(sessions: TalkedIn, sessionId: SessionId, move: Move): Promise<SentMessage> {
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
