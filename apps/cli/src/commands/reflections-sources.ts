import { z } from 'zod'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { percentOf } from '../reflection/source-progress.ts'
import { upTo } from '../reflection/up-to.ts'
import { waitingFacts, waitingText } from '../reflection/waiting-facts.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const SourcesOptions = z.object({ limit: LimitOption })

/** Lists what a reflection learns from, and how far each is. */
export async function listSources(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit } = parseOptions(SourcesOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await upTo(limit, (page) => client.reflections.sources({ ...page, reflectionId }))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) {
    tell(io.stdout, `It has no sources yet: parley reflections add ${shortId(reflectionId)} FILE`)
  } else {
    const rows = items.map((source) => [
      shortId(source.id),
      source.state === 'running' ? `${source.phase ?? 'running'} ${percentOf(source)} %` : source.state,
      String(source.facts),
      source.namespace,
      source.title,
    ])
    const head = ['ID', 'STATE', 'FACTS', 'NAMESPACE', 'TITLE']
    io.stdout.write(renderColumns(head, rows, screen.style, { columns: screen.columns, yielding: [4, 3] }))
    for (const { title, problem } of items) if (problem) tell(io.stdout, `! ${title}: ${problem}`)
    const waiting = await waitingFacts(client, reflectionId)
    if (waiting > 0) tell(io.stdout, waitingText(waiting, reflectionId))
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
