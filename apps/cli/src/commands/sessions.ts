import { type SessionRecord, type SessionStore, sessionView } from '@parley/engine'
import { z } from 'zod'
import { openLocalHistory } from '../compose.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { screenOf } from '../render/screen-of.ts'
import { renderSessionTable } from '../render/session-table.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const MOST = 10_000
const A_COUNT = `must be a whole number from 1 to ${MOST}`

const SessionsOptions = z.object({
  limit: z
    .string()
    .regex(/^\d+$/, A_COUNT)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MOST, A_COUNT)
    .default(20),
})

/** Lists the conversations of this machine. */
export async function sessions({ io, json, options }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { limit } = parseOptions(SessionsOptions, options)
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const { items, more } = await listUpTo(history.store, limit)
    if (json) {
      io.stdout.write(jsonLine({ items: items.map(sessionView), more }))
      return EXIT.done
    }
    if (items.length === 0) {
      io.stdout.write('There are no conversations yet. Start one with: parley chat\n')
      return EXIT.done
    }
    const { columns, style } = screenOf(io.stdout, config)
    io.stdout.write(
      renderSessionTable(
        items.map(({ session }) => session),
        columns,
        style,
      ),
    )
    if (more)
      io.stdout.write(style.dim(`There are more: parley sessions --limit ${Math.min(limit * 5, MOST)}\n`))
    return EXIT.done
  } finally {
    history.close()
  }
}

const PAGE = 200

async function listUpTo(store: SessionStore, limit: number) {
  const items: SessionRecord[] = []
  let cursor: string | undefined
  do {
    const wanted = Math.min(PAGE, limit - items.length)
    const page = await store.list({ limit: wanted, ...(cursor !== undefined && { cursor }) })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return { items, more: cursor !== undefined }
}
