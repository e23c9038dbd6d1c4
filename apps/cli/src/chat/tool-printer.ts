import type { Writable } from 'node:stream'
import type { CallId, SessionEvent, ToolCall } from '@parley/contracts'
import { createLiveRows } from '../render/live-rows.ts'
import { renderFileChange } from '../render/preview-rows.ts'
import type { Display } from '../render/display.ts'
import {
  type DisplayedCall,
  renderCall,
  renderOutcome,
  renderRefusal,
  renderRunningCall,
} from '../render/tool-lines.ts'

type Output = Writable & { readonly columns?: number; readonly rows?: number }

export interface ToolPrinter {
  /** What an event changes, if anything. */
  toUpdate(event: SessionEvent): ToolUpdate | undefined
  show(update: ToolUpdate): void
  space(): void
  /** Finishes a counting line before other output. */
  settle(): void
}

const TICK_MS = 1_000

/** A running call counts seconds, if the terminal can redraw. */
export function createToolPrinter(output: Output, display: Display): ToolPrinter {
  const follow = createToolFollower()
  const live = createLiveRows(output)
  const onReturn = () => live.forget()
  const readCurrentDisplay = (): Display => ({ ...display, columns: output.columns || display.columns })
  let running: { readonly call: DisplayedCall; readonly timer: NodeJS.Timeout } | undefined

  const start = (call: DisplayedCall) => {
    const since = performance.now()
    const draw = () => {
      const seconds = Math.round((performance.now() - since) / 1_000)
      output.write(live.update([], [renderRunningCall(call, seconds, readCurrentDisplay())]))
    }
    output.write(live.update([], [renderCall(call, readCurrentDisplay())]))
    running = { call, timer: setInterval(draw, TICK_MS).unref() }
    process.on('SIGCONT', onReturn)
  }

  const settle = () => {
    if (!running) return
    clearInterval(running.timer)
    process.off('SIGCONT', onReturn)
    output.write(live.update([renderCall(running.call, readCurrentDisplay())], []))
    running = undefined
  }

  const print = (line: string) => output.write(`${line}\n`)

  return {
    toUpdate: (event) => follow(event, readCurrentDisplay()),
    show(update) {
      settle()
      if (update.kind === 'lines') for (const line of update.lines) print(line)
      else if (display.redraws) start(update.call)
      else print(renderCall(update.call, readCurrentDisplay()))
    },
    space() {
      settle()
      print('')
    },
    settle,
  }
}

/** The lines that an event adds. */
export type ToolUpdate =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** A call that starts now. */
  | { readonly kind: 'running'; readonly call: DisplayedCall }

type ToolFollower = (event: SessionEvent, display: Display) => ToolUpdate | undefined

/** One per chat: a waiting call continues in the next action. */
function createToolFollower(): ToolFollower {
  const pending = new Map<CallId, ToolCall>()
  const refused = new Set<CallId>()
  /** Calls that an earlier approval covers, so their changes were not shown yet. */
  const unshown = new Map<CallId, DisplayedCall>()

  const takePending = (callId: CallId): ToolCall | undefined => {
    const call = pending.get(callId)
    pending.delete(callId)
    return call
  }

  const onDecided = (event: EventOf<'agent:tool_decided'>, display: Display): ToolUpdate => {
    const { callId, tool, target } = event
    const call: DisplayedCall = { tool, target, input: takePending(callId)?.input }
    if (event.verdict === 'allowed') {
      if (event.by === 'session') unshown.set(callId, call)
      return { kind: 'running', call }
    }
    refused.add(callId)
    return { kind: 'lines', lines: [renderCall(call, display), ...renderRefusal(event, display)] }
  }

  const onResult = (
    { callId, outcome }: EventOf<'agent:tool_result'>,
    display: Display,
  ): ToolUpdate | undefined => {
    if (refused.delete(callId)) return undefined
    const call = takePending(callId)
    const changed = outcome.kind === 'ok' ? unshown.get(callId) : undefined
    unshown.delete(callId)
    return {
      kind: 'lines',
      lines: [
        ...(call ? [renderCall({ tool: call.name, input: call.input }, display)] : []),
        ...(changed ? renderFileChange(changed, display) : []),
        ...renderOutcome(outcome, display),
      ],
    }
  }

  return (event, display) => {
    if (event.type === 'agent:tool_call') pending.set(event.callId, event.call)
    if (event.type === 'agent:tool_decided') return onDecided(event, display)
    return event.type === 'agent:tool_result' ? onResult(event, display) : undefined
  }
}

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>
