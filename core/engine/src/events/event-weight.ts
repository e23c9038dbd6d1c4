import type { DurableContentPart, SessionEvent } from '@parley/contracts'

/** An object's own weight, whatever it holds. */
const OBJECT = 200

/** How much memory an event takes, roughly, in bytes. */
export function weightOf(event: SessionEvent): number {
  if (event.type === 'agent:token') return OBJECT + event.token.length
  if (event.type === 'agent:reasoning') return OBJECT + event.text.length
  if (event.type === 'agent:tool_result') return OBJECT + event.outcome.text.length
  if (event.type === 'agent:tool_call') return OBJECT + JSON.stringify(event.call).length
  if (event.type === 'session:turn_started') {
    return event.message.content.reduce((weight, part) => weight + weightOfPart(part), OBJECT)
  }
  return 2 * OBJECT
}

function weightOfPart(part: DurableContentPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return OBJECT + part.text.length
  return part.type === 'tool_result' ? OBJECT + part.outcome.text.length : OBJECT
}
