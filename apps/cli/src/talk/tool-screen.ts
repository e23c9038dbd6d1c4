import type { Writable } from 'node:stream'
import type { SessionEvent } from '@parley/contracts'
import { createLiveRows } from '../render/live-rows.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import type { ToldCall } from '../render/telling-of.ts'
import { callLine, runningLine } from '../render/tool-lines.ts'
import { createToolFollower, type ToolNews } from './follow-tools.ts'

type Output = Writable & { readonly columns?: number; readonly rows?: number }

/** Where a person sees what an agent does with its tools. */
export interface ToolScreen {
  /** What an event says of that. */
  newsOn(event: SessionEvent): ToolNews | undefined
  show(news: ToolNews): void
  /** An empty line. */
  space(): void
  /** Something else is written next: a line that is still counting is left as it stays. */
  settle(): void
}

const TICK_MS = 1_000

/** The line of a call that runs counts the seconds, where what was written can be drawn over. */
export function createToolScreen(output: Output, look: ScreenLook): ToolScreen {
  const follow = createToolFollower()
  const live = createLiveRows(output)
  const onReturn = () => live.forget()
  const lookNow = (): ScreenLook => ({ ...look, columns: output.columns || look.columns })
  let running: { readonly call: ToldCall; readonly timer: NodeJS.Timeout } | undefined

  const start = (call: ToldCall) => {
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
