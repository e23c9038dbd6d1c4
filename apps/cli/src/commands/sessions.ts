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
  search: z
    .array(z.string())
    .transform((words) => words.join(' ').trim())
    .refine((words) => words !== '', 'must not be empty')
    .optional(),
})

/** Lists the sessions of this machine. */
export async function sessions({ io, json, options }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { limit, search } = parseOptions(SessionsOptions, options)
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const { items, more } = await listUpTo(history.store, { limit, search })
    if (json) {
      io.stdout.write(jsonLine({ items: items.map(sessionView), more }))
      return EXIT.done
    }
    if (items.length === 0) {
      tell(io.stdout, search === undefined ? NONE_YET : `No session holds "${search}".`)
      return EXIT.done
    }
    const { columns, style } = screenOf(io.stdout, config)
    io.stdout.write(renderSessionTable(items, columns, style))
    if (more) io.stdout.write(`${style.dim(moreOf({ limit, search }))}\n`)
    return EXIT.done
  } finally {
    history.close()
  }
}

const NONE_YET = 'There are no sessions yet. Start one with: parley chat'

interface Wanted {
  readonly limit: number
  readonly search?: string | undefined
}

function moreOf({ limit, search }: Wanted): string {
  const next = `--limit ${Math.min(limit * 5, MOST)}`
  return search === undefined ? `There are more: parley sessions ${next}` : `There are more: add ${next}`
}

const PAGE = 200

async function listUpTo(store: SessionStore, { limit, search }: Wanted) {
  const items: SessionRecord[] = []
  let cursor: string | undefined
  do {
    const wanted = Math.min(PAGE, limit - items.length)
    const page = await store.list({
      limit: wanted,
      ...(search !== undefined && { search }),
      ...(cursor !== undefined && { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return { items, more: cursor !== undefined }
}
