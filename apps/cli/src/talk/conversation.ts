import type { AgentSession, SessionEvent, SessionId } from '@parley/contracts'
import type { Sessions } from '@parley/engine'

export type TurnEnd = Extract<SessionEvent, { type: 'session:turn_completed' }>

/** One session, as a person talks in it. */
export interface Conversation {
  /** Known once something was said. */
  readonly sessionId: SessionId | undefined
  /** Sends a message and hands on the events of its turn, up to its end. */
  say(text: string, onEvent: (event: SessionEvent) => void | Promise<void>): Promise<TurnEnd>
  /** Stops the answer; what was said of it is kept. */
  stop(): void
}

interface Beginning {
  /** The session to talk in; asked for with the first message, so that an unused prompt leaves nothing behind. */
  readonly session: () => Promise<Pick<AgentSession, 'id'>>
  /** The number of the last event that is known already. */
  readonly after: number
}

export function createConversation(sessions: Sessions, { session, after }: Beginning): Conversation {
  let sessionId: SessionId | undefined
  let seen = after
  let stopping = false

  return {
    get sessionId() {
      return sessionId
    },

    async say(text, onEvent) {
      stopping = false
      const id = (sessionId ??= (await session()).id)
      const { turnId, ended } = await sessions.send(id, text)
      const broken = new AbortController()
      ended?.catch(() => broken.abort())
      if (stopping) sessions.cancel(id)
      for await (const event of sessions.events({ sessionId: id, after: seen, signal: broken.signal })) {
        seen = event.sequenceNumber
        // Another terminal may have talked in this session meanwhile; `sessions show` has it all.
        if ('turnId' in event && event.turnId !== turnId) continue
        await onEvent(event)
        if (event.type === 'session:turn_completed' && event.turnId === turnId) return event
      }
      await ended
      throw new Error(`the turn ${turnId} ended without its last event`)
    },

    stop() {
      stopping = true
      if (sessionId) sessions.cancel(sessionId)
    },
  }
}
