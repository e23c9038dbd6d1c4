import type { SessionView } from '@parley/contracts'
import { type SessionStore, sessionView } from '@parley/engine'
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
import { MOST, moreOf, type Wanted } from './sessions-wanted.ts'

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
  server: z.boolean().default(false),
})

/** Lists the sessions of this machine, or of the Parley that runs. */
export async function sessions(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { server, ...wanted } = parseOptions(SessionsOptions, call.options)
  if (server) return (await import('./sessions-there.ts')).sessionsThere(call, wanted)
  const config = readConfig(io.environment)
  const { search } = wanted
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const { items, more } = await listUpTo(history.store, wanted)
    if (json) {
      io.stdout.write(jsonLine({ items, more }))
      return EXIT.done
    }
    if (items.length === 0) {
      tell(io.stdout, search === undefined ? NONE_YET : `No session holds "${search}".`)
      const { liveRun } = await import('../up/run-file.ts')
      if (await liveRun(config.home))
        tell(io.stdout, 'Those of the Parley that runs: parley sessions --server')
      return EXIT.done
    }
    const { columns, style } = screenOf(io.stdout, config)
    io.stdout.write(renderSessionTable(items, columns, style))
    if (more) io.stdout.write(`${style.dim(moreOf(wanted))}\n`)
    return EXIT.done
  } finally {
    history.close()
  }
}

const NONE_YET = 'There are no sessions yet. Start one with: parley chat'

const PAGE = 200

async function listUpTo(store: SessionStore, { limit, search }: Wanted) {
  const items: SessionView[] = []
  let cursor: string | undefined
  do {
    const wanted = Math.min(PAGE, limit - items.length)
    const page = await store.list({
      limit: wanted,
      ...(search !== undefined && { search }),
      ...(cursor !== undefined && { cursor }),
    })
    items.push(...page.items.map((record) => sessionView(record, { mayWrite: true })))
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return { items, more: cursor !== undefined }
}
