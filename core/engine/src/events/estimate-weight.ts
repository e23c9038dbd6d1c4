import type { DurableContentPart, SessionEvent } from '@parley/contracts'

/** The weight of an object without its content. */
export const OBJECT_WEIGHT = 200

/** Approximate memory of an event, in bytes. */
export function estimateEventWeight(event: SessionEvent): number {
  if (event.type === 'agent:token') return OBJECT_WEIGHT + event.token.length
  if (event.type === 'agent:reasoning') return OBJECT_WEIGHT + event.text.length
  if (event.type === 'agent:tool_result') return OBJECT_WEIGHT + event.outcome.text.length
  if (event.type === 'agent:tool_call') return OBJECT_WEIGHT + JSON.stringify(event.call).length
  if (event.type === 'session:turn_started') return estimateMessageWeight(event.message)
  return 2 * OBJECT_WEIGHT
}

/** Approximate memory of a message, in bytes. */
export const estimateMessageWeight = ({
  content,
}: {
  readonly content: readonly DurableContentPart[]
}): number => content.reduce((weight, part) => weight + estimatePartWeight(part), OBJECT_WEIGHT)

function estimatePartWeight(part: DurableContentPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return OBJECT_WEIGHT + part.text.length
  return part.type === 'tool_result' ? OBJECT_WEIGHT + part.outcome.text.length : OBJECT_WEIGHT
}
