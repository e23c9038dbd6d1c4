import type { SessionView } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { costLines, totalCost } from '../render/cost-lines.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { lookFor } from '../render/markdown/load-highlight.ts'
import { neutralise } from '../render/neutralise.ts'
import { screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import { renderTurn } from '../render/transcript.ts'
import { withWholeResults } from '../session/read-last-result.ts'
import { turnsOf } from '../session/turns-of.ts'
import { writeTo } from '../talk/print-answer.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ShowOptions = z.object({ full: z.boolean().default(false) })

/** Prints what was said in one conversation, turn by turn, however long it is. */
export function showSession(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { full } = parseOptions(ShowOptions, call.options)
  return atSession(call, async (session, config) => {
    const { id, agent, view } = session
    const turns = turnsOf(session, id)
    if (json) {
      const cost = totalCost(view.costs)
      io.stdout.write(jsonLine({ session: view, cost, turns: await collected(turns) }))
      return EXIT.done
    }
    const screen = screenOf(io.stdout, config)
    const { style, columns, isTerminal } = screen
    io.stdout.write(
      `${style.bold(neutralise(view.title ?? 'untitled'))}\n${style.dim(aboutOf(view, agent))}\n`,
    )
    for (const line of costLines(view.costs)) io.stdout.write(`${style.dim(neutralise(line))}\n`)
    if (view.reflection?.transcript === 'pending') tell(io.stderr, `parley: ${NOT_IN_YET}`)
    const look = {
      agent,
      user: view.ownerLabel,
      model: view.model,
      style,
      columns: isTerminal ? columns : undefined,
    }
    const whole = { ...look, results: 'whole' as const }
    for await (const turn of turns) {
      const isLast = (turn.messages.at(-1)?.sequenceNumber ?? 0) >= view.messageCount
      const { markdown } = await lookFor(screen, turn.messages)
      const open = isLast ? view.openTurn?.state : undefined
      const shown = full ? { ...turn, messages: await withWholeResults(turn.messages, session) } : turn
      await writeTo(io.stdout, `\n${renderTurn(shown, { ...(full ? whole : look), markdown, open })}`)
    }
    return EXIT.done
  })
}

const aboutOf = ({ id, channel, createdAt }: SessionView, agent: string): string =>
  [id, neutralise(agent), ...(channel === 'voice' ? ['spoken'] : []), `started ${localTime(createdAt)}`].join(
    ', ',
  )

const NOT_IN_YET = 'What was said in this call is not in yet. It comes soon after the call is over.'

async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
