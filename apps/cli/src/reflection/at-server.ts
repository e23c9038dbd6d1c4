import { z } from 'zod'
import { type ApiClient, type PageOf, createApiClient } from '@parley/api-client'
import { MemberNamespaces, PlatformError } from '@parley/contracts'
import type { CommandCall } from '../commands/command.ts'
import { type Config, readConfig } from '../config.ts'
import type { Io } from '../io.ts'
import { type ScreenLook, screenOf } from '../render/screen-look.ts'
import { liveRun, tokenAt } from '../up/run-file.ts'

export interface AtServer {
  readonly config: Config
  readonly client: ApiClient
  /** Where the answer is printed. */
  readonly screen: ScreenLook
}

/** The Parley that runs on this data folder, spoken to as its owner. */
export async function atServer({ io }: Pick<CommandCall, 'io'>): Promise<AtServer> {
  const config = readConfig(io.environment)
  const run = await liveRun(config.home)
  if (run?.url === undefined) throw notRunning(config, run !== undefined)
  return serverAt(run.url, config, io)
}

/** The same; undefined where none runs. */
export async function atServerIfAny({ io }: Pick<CommandCall, 'io'>): Promise<AtServer | undefined> {
  const config = readConfig(io.environment)
  const run = await liveRun(config.home)
  return run?.url === undefined ? undefined : serverAt(run.url, config, io)
}

async function serverAt(url: string, config: Config, { stdout }: Io): Promise<AtServer> {
  const token = await tokenAt(url, config)
  if (token === undefined) {
    throw new PlatformError('unauthenticated', {
      message: `The Parley at ${url} does not take the owner’s token that is known here.`,
      mend: 'Unset PARLEY_OWNER_TOKEN, or set it to the one that it was started with.',
    })
  }
  const client = createApiClient({ baseUrl: url, token })
  return { config, client, screen: screenOf(stdout, config) }
}

const notRunning = ({ home }: Config, isStarting: boolean) =>
  new PlatformError('server_unreachable', {
    message: isStarting ? `Parley is just starting in ${home}.` : `No Parley runs on the data in ${home}.`,
    mend: isStarting
      ? 'Try again in a moment.'
      : 'Start it in another terminal: `parley up`. PARLEY_HOME names another data folder.',
  })

const PAGE = 200

/** So many of what comes in pages, and whether there are more. */
export async function upTo<Item>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<PageOf<Item>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const page = await read({
      limit: Math.min(PAGE, limit - items.length),
      ...(cursor !== undefined && { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return { items, more: cursor !== undefined }
}

const MOST = 10_000
const A_COUNT = `must be a whole number from 1 to ${MOST}`

/** How many to list. */
export const LimitOption = z
  .string()
  .regex(/^\d+$/, A_COUNT)
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= MOST, A_COUNT)
  .default(50)

/** Which private namespaces somebody reads: `all`, or names with commas between them. */
export const NamespacesOption = z
  .string()
  .transform((given) =>
    given.trim() === 'all' ? 'all' : given.split(',').flatMap((name) => name.trim() || []),
  )
  .pipe(MemberNamespaces)
  .optional()
