import { z } from 'zod'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ListOptions = z.object({ limit: LimitOption })

/** Lists the reflections of the server that runs here. */
export async function listReflections(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { limit } = parseOptions(ListOptions, call.options)
  const { client, screen } = await atServer(call)
  const { items, more } = await upTo(limit, (page) => client.reflections.list(page))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, NONE_YET)
  else {
    const rows = items.map(({ id, createdAt, namespaces, displayName }) => [
      shortId(id),
      localTime(createdAt),
      namespaces.flatMap(({ name, isPublished }) => (isPublished ? [name] : [])).join(', ') || '-',
      displayName,
    ])
    const head = ['ID', 'MADE', 'PUBLISHED', 'NAME']
    const room = { columns: screen.columns, yielding: [2, 3] }
    io.stdout.write(renderColumns(head, rows, screen.style, room))
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}

const NONE_YET = 'There are no reflections yet. Make one with: parley reflections create NAME'
