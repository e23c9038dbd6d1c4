import type { ApiClient } from '@parley/api-client'
import type { ListedSession } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { renderSessionTable } from '../render/session-table.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { moreOf, type Wanted } from './sessions-wanted.ts'

/** Lists the sessions of the Parley that runs: how they are held, and with whom. */
export async function sessionsThere({ io, json }: CommandCall, wanted: Wanted): Promise<ExitCode> {
  const { client, screen } = await atServer({ io })
  const { limit, search } = wanted
  const { items, more } = await upTo(limit, (page) =>
    client.sessions.list({ ...page, ...(search !== undefined && { search }) }),
  )
  if (json) {
    io.stdout.write(jsonLine({ items, more }))
    return EXIT.done
  }
  if (items.length === 0) {
    tell(io.stdout, search === undefined ? NONE_YET : `No session of the Parley that runs holds "${search}".`)
    return EXIT.done
  }
  const { columns, style } = screen
  const names = await namesOf(items, client)
  const withWhom = ({ reflectionId, model }: ListedSession) => names.get(reflectionId ?? '') ?? model
  io.stdout.write(renderSessionTable(items, columns, style, withWhom))
  if (more) io.stdout.write(`${style.dim(moreOf(wanted, 'parley sessions --server'))}\n`)
  return EXIT.done
}

const NONE_YET =
  'The Parley that runs has no sessions of yours yet. Start one with: parley chat --reflection NAME'

/** Asked for only where one of the sessions is with a reflection. */
async function namesOf(
  items: readonly ListedSession[],
  client: ApiClient,
): Promise<ReadonlyMap<string, string>> {
  if (items.every(({ reflectionId }) => reflectionId === undefined)) return new Map()
  const reflections = await upTo(Number.POSITIVE_INFINITY, (page) => client.reflections.list(page))
  return new Map(reflections.items.map(({ id, displayName }) => [id, displayName]))
}
