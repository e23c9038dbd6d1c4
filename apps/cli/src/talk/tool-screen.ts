import type { Writable } from 'node:stream'
import type { CallId, SessionEvent, ToolCall } from '@parley/contracts'
import { createLiveRows } from '../render/live-rows.ts'
import { changeRows } from '../render/preview-rows.ts'
import type { ScreenLook } from '../render/screen-look.ts'
import {
  type DisplayedCall,
  callLine,
  outcomeLines,
  refusalLines,
  runningLine,
} from '../render/tool-lines.ts'

type Output = Writable & { readonly columns?: number; readonly rows?: number }

/** The display of tool activity. */
export interface ToolScreen {
  /** Shows an event. */
  newsOn(event: SessionEvent): ToolNews | undefined
  show(news: ToolNews): void
  /** An empty line. */
  space(): void
  /** Finishes a counting line before other output. */
  settle(): void
}

const TICK_MS = 1_000

/** A running call counts seconds, if the terminal can redraw. */
export function createToolScreen(output: Output, look: ScreenLook): ToolScreen {
  const follow = createToolFollower()
  const live = createLiveRows(output)
  const onReturn = () => live.forget()
  const lookNow = (): ScreenLook => ({ ...look, columns: output.columns || look.columns })
  let running: { readonly call: DisplayedCall; readonly timer: NodeJS.Timeout } | undefined

  const start = (call: DisplayedCall) => {
    const since = performance.now()
    const draw = () => {
      const seconds = Math.round((performance.now() - since) / 1_000)
      output.write(live.update([], [runningLine(call, seconds, lookNow())]))
    }
    output.write(live.update([], [callLine(call, lookNow())]))
    running = { call, timer: setInterval(draw, TICK_MS).unref() }
    process.on('SIGCONT', onReturn)
  }

  const settle = () => {
    if (!running) return
    clearInterval(running.timer)
    process.off('SIGCONT', onReturn)
    output.write(live.update([callLine(running.call, lookNow())], []))
    running = undefined
  }

  const print = (line: string) => output.write(`${line}\n`)

  return {
    newsOn: (event) => follow(event, lookNow()),
    show(news) {
      settle()
      if (news.kind === 'lines') for (const line of news.lines) print(line)
      else if (look.redraws) start(news.call)
      else print(callLine(news.call, lookNow()))
    },
    space() {
      settle()
      print('')
    },
    settle,
  }
}

/** The lines that an event adds. */
export type ToolNews =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** A call that starts now. */
  | { readonly kind: 'running'; readonly call: DisplayedCall }

type ToolFollower = (event: SessionEvent, look: ScreenLook) => ToolNews | undefined

/** One per conversation: a waiting call continues in the next move. */
function createToolFollower(): ToolFollower {
  const untold = new Map<CallId, ToolCall>()
  const refused = new Set<CallId>()
  /** Calls that an earlier approval covers, so their changes were not shown yet. */
  const unseen = new Map<CallId, DisplayedCall>()

  const taken = (callId: CallId): ToolCall | undefined => {
    const call = untold.get(callId)
    untold.delete(callId)
    return call
  }

  const onDecided = (event: Of<'agent:tool_decided'>, look: ScreenLook): ToolNews => {
    const { callId, tool, target } = event
    const call: DisplayedCall = { tool, target, input: taken(callId)?.input }
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
