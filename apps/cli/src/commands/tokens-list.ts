import { z } from 'zod'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ListOptions = z.object({ limit: LimitOption })

/** Lists who has a token, never the tokens themselves. */
export async function listTokens(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { limit } = parseOptions(ListOptions, call.options)
  const { client, screen } = await atServer(call)
  const { items, more } = await upTo(limit, (page) => client.tokens.list(page))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else {
    const rows = items.map(({ tokenId, personId, role, reflectionId, expiresAt, label }) => [
      shortId(tokenId),
      personId,
      role,
      reflectionId === undefined ? 'server' : shortId(reflectionId),
      expiresAt === undefined ? 'never' : localTime(expiresAt),
      label,
    ])
    const room = { columns: screen.columns, yielding: [5] }
    io.stdout.write(
      renderColumns(['TOKEN', 'PERSON', 'ROLE', 'OF', 'ENDS', 'NAME'], rows, screen.style, room),
    )
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
