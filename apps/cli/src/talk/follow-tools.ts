import type { CallId, SessionEvent, ToolCall } from '@parley/contracts'
import type { ScreenLook } from '../render/screen-of.ts'
import { callLine, outcomeLine, refusalLine } from '../render/tool-lines.ts'

/** Gives the lines that an event adds to what a person sees of the calls. */
export type ToolFollower = (event: SessionEvent) => readonly string[]

/** One for a whole talk: a call that waits is told of in the answer to the next move. */
export function createToolFollower(look: ScreenLook): ToolFollower {
  const untold = new Map<CallId, ToolCall>()
  const refused = new Set<CallId>()

  const taken = (callId: CallId): ToolCall | undefined => {
    const call = untold.get(callId)
    untold.delete(callId)
    return call
  }

  const onDecided = (event: Of<'agent:tool_decided'>): readonly string[] => {
    const line = callLine({ ...event, input: taken(event.callId)?.input }, look)
    if (event.verdict === 'allowed') return [line]
    refused.add(event.callId)
    return [line, refusalLine(event, look)]
  }

  const onResult = ({ callId, outcome }: Of<'agent:tool_result'>): readonly string[] => {
    if (refused.delete(callId)) return []
    const call = taken(callId)
    const line = outcomeLine(outcome, look)
    return call ? [callLine({ tool: call.name, input: call.input }, look), line] : [line]
  }

  return (event) => {
    if (event.type === 'agent:tool_call') untold.set(event.callId, event.call)
    if (event.type === 'agent:tool_decided') return onDecided(event)
    return event.type === 'agent:tool_result' ? onResult(event) : NONE
  }
}

type Of<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>

const NONE: readonly string[] = []
