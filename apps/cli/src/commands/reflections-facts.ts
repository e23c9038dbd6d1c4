import { FactState } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { FACT_MARKS, listedFactLines, standingOf } from '../reflection/fact-lines.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { sourceTitles } from '../reflection/source-titles.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const FactsOptions = z.object({
  limit: LimitOption,
  state: z.enum(FactState.options, `must be ${FactState.options.join(', ')}`).optional(),
})

/** Lists what was learned, with the words that bear it out. */
export async function listFacts(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit, state } = parseOptions(FactsOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await upTo(limit, (page) =>
    client.reflections.facts({ ...page, reflectionId, ...(state && { state }) }),
  )
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, state ? `It has no ${state} facts.` : 'It has no facts yet.')
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    io.stdout.write(`${items.flatMap((fact) => listedFactLines(fact, screen, titleOf)).join('\n')}\n`)
    if (items.some((fact) => standingOf(fact) !== 'active')) {
      io.stdout.write(`${screen.style.dim(FACT_MARKS)}\n`)
    }
    const active = items.find((fact) => standingOf(fact) === 'active')
    if (active) {
      const ids = `${shortId(reflectionId)} ${shortId(active.id)}`
      const hint = `If one is wrong: parley reflections correct ${ids} "WHAT IS RIGHT"`
      io.stdout.write(`${screen.style.dim(hint)}\n`)
    }
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
