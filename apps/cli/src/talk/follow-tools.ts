import type { CallId, SessionEvent, ToolCall } from '@parley/contracts'
import { changeRows } from '../render/change-rows.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import type { ToldCall } from '../render/telling-of.ts'
import { callLine, outcomeLines, refusalLines } from '../render/tool-lines.ts'

/** What an event adds to what a person sees of the calls. */
export type ToolNews =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** A call that is being carried out from now on. */
  | { readonly kind: 'running'; readonly call: ToldCall }

type ToolFollower = (event: SessionEvent, look: ScreenLook) => ToolNews | undefined

/** One for a whole talk: a call that waits is told of in the answer to the next move. */
export function createToolFollower(): ToolFollower {
  const untold = new Map<CallId, ToolCall>()
  const refused = new Set<CallId>()
  /** Of calls that an earlier answer allows, so that nobody was shown what they do. */
  const unseen = new Map<CallId, ToldCall>()

  const taken = (callId: CallId): ToolCall | undefined => {
    const call = untold.get(callId)
    untold.delete(callId)
    return call
  }

  const onDecided = (event: Of<'agent:tool_decided'>, look: ScreenLook): ToolNews => {
    const { callId, tool, target } = event
    const call: ToldCall = { tool, target, input: taken(callId)?.input }
    if (event.verdict === 'allowed') {
      if (event.by === 'session') unseen.set(callId, call)
      return { kind: 'running', call }
    }
    refused.add(callId)
    return { kind: 'lines', lines: [callLine(call, look), ...refusalLines(event, look)] }
  }

  const onResult = ({ callId, outcome }: Of<'agent:tool_result'>, look: ScreenLook): ToolNews | undefined => {
    if (refused.delete(callId)) return undefined
    const call = taken(callId)
    const changed = outcome.kind === 'ok' ? unseen.get(callId) : undefined
    unseen.delete(callId)
    return {
      kind: 'lines',
      lines: [
        ...(call ? [callLine({ tool: call.name, input: call.input }, look)] : []),
        ...(changed ? changeRows(changed, look) : []),
        ...outcomeLines(outcome, look),
      ],
    }
  }

  return (event, look) => {
    if (event.type === 'agent:tool_call') untold.set(event.callId, event.call)
    if (event.type === 'agent:tool_decided') return onDecided(event, look)
    return event.type === 'agent:tool_result' ? onResult(event, look) : undefined
  }
}

type Of<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>
