import type { SessionMessage, TurnEvent, TurnId } from '@parley/contracts'
import type { StoredEvent } from '../ports/session-store.ts'
import { hasFinalText } from '../session/reconstruct-session-state.ts'
import { type MessagePartRef, createStepId, toStoredEvent } from './stored-event.ts'

/** A voice provider reports neither the model nor its usage. */
const MODEL = 'voice'
const USAGE = { inputTokens: 0, outputTokens: 0 }

/**
 * The events of a call, made from its messages, numbered after the session's last event. Times come from the call, may
 * be whole seconds, and never go backwards.
 */
export function createCallEvents(
  messages: readonly SessionMessage[],
  after: Pick<StoredEvent, 'sequenceNumber' | 'timestamp'>,
): readonly StoredEvent[] {
  let { sequenceNumber, timestamp } = after
  return splitIntoTurns(messages).flatMap((turn) =>
    turn.flatMap((message, index) => {
      // A turn's last text is its last message, even if a tool was called later.
      if (message.timestamp > timestamp) timestamp = message.timestamp
      const { sessionId } = message
      return createEventsAt(turn, index).map(({ event, messageRef }) =>
        toStoredEvent({ ...event, sessionId, sequenceNumber: ++sequenceNumber, timestamp }, messageRef),
      )
    }),
  )
}

/** A turn begins when the person speaks; the first begins with the call, so it holds the agent's greeting. */
function splitIntoTurns(messages: readonly SessionMessage[]): readonly (readonly SessionMessage[])[] {
  const turns: SessionMessage[][] = []
  for (const message of messages) {
    if (message.role === 'user' || turns.length === 0) turns.push([])
    turns.at(-1)?.push(message)
  }
  return turns
}

interface CallEvent {
  readonly event: TurnEvent
  readonly messageRef?: MessagePartRef
}

function createEventsAt(turn: readonly SessionMessage[], index: number): readonly CallEvent[] {
  const [first, message] = [turn[0], turn[index]]
  if (!first || !message) return []
  const turnId = `trn_${first.id.slice('msg_'.length)}` as TurnId
  const messageEvents = message.role === 'user' ? [] : createMessageEvents(message, turnId)
  return [
    ...(index === 0 ? [createStart(message, turnId)] : []),
    ...messageEvents,
    ...(index === turn.length - 1 ? [createEnd(turn, turnId)] : []),
  ]
}

const createStart = (message: SessionMessage, turnId: TurnId): CallEvent => ({
  event: { type: 'session:turn_started', turnId, message },
  messageRef: { message: message.sequenceNumber, part: 0 },
})

/** If no answer was heard to its end, the person interrupted or hung up. */
const createEnd = (turn: readonly SessionMessage[], turnId: TurnId): CallEvent => {
  const isWhole = hasFinalText(turn) && !turn.at(-1)?.cutShort
  const stopReason = isWhole ? 'completed' : 'cancelled'
  return { event: { type: 'session:turn_completed', turnId, stopReason, usage: USAGE } }
}

function createMessageEvents(
  { content, sequenceNumber }: SessionMessage,
  turnId: TurnId,
): readonly CallEvent[] {
  return content.flatMap((part, index): readonly CallEvent[] => {
    const messageRef = { message: sequenceNumber, part: index }
    switch (part.type) {
      case 'text': {
        const stepId = createStepId(turnId, sequenceNumber, 0)
        return [
          { event: { type: 'agent:token', turnId, stepId, token: part.text, model: MODEL }, messageRef },
        ]
      }
      case 'tool_call':
        return [
          { event: { type: 'agent:tool_call', turnId, callId: part.call.id, call: part.call }, messageRef },
        ]
      case 'tool_result': {
        const { callId, outcome } = part
        return [{ event: { type: 'agent:tool_result', turnId, callId, outcome }, messageRef }]
      }
      case 'reasoning':
      case 'media':
        return []
      default:
        return part satisfies never
    }
  })
}
