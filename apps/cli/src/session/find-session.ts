import { z } from 'zod'
import { PlatformError, SessionId, type SessionView, type WorkflowDefinition } from '@parley/contracts'
import { type AgentSessionRecord, type SessionStore, sessionView } from '@parley/engine'
import type { History } from '@parley/history'
import type { CommandCall } from '../commands/command.ts'
import { openIdleSessions, openLocalHistory } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import type { ExitCode } from '../exit-code.ts'
import type { AtServer } from '../reflection/at-server.ts'
import { tell } from '../render/output.ts'
import { fitText, neutralise } from '../render/text.ts'

export type FoundSession =
  | { readonly kind: 'here'; readonly record: AgentSessionRecord }
  | { readonly kind: 'there'; readonly view: SessionView; readonly server: AtServer }

/** The session of this machine's history, or where it has none such, of the Parley that runs. */
export async function findAnywhere(
  store: SessionStore,
  given: string | undefined,
  call: Pick<CommandCall, 'io'>,
): Promise<FoundSession> {
  try {
    return { kind: 'here', record: await findSession(store, given) }
  } catch (failure) {
    if (!(failure instanceof PlatformError) || failure.code !== 'session_not_found') throw failure
    const { findThere } = await import('./server-session.ts')
    return { kind: 'there', ...(await findThere(given, failure, call)) }
  }
}

/** The session that a whole id or the beginning of one stands for; without either, the latest. */
export async function findSession(
  store: SessionStore,
  given: string | undefined,
): Promise<AgentSessionRecord> {
  if (given === undefined) return latest(store)
  const found = await findById(
    {
      find: (id) => store.find(id),
      list: (page) => store.list(page),
      called: ({ session }) => session,
    },
    given,
  )
  if (found) return found
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id begins with "${given}".`,
    given,
  })
}

async function latest(store: SessionStore): Promise<AgentSessionRecord> {
  const { items } = await store.list({ limit: 1 })
  const [record] = items
  if (record) return record
  throw new PlatformError('session_not_found', {
    message: 'There is no session yet.',
    mend: '`parley chat` starts one.',
  })
}

const PAGE = 200
const MOST_NAMED = 5

/** Where sessions are kept, and what they are called there. */
interface Kept<Item> {
  readonly find: (id: SessionId) => Promise<Item | undefined>
  readonly list: (page: { limit: number; cursor?: string }) => Promise<{
    readonly items: readonly Item[]
    readonly nextCursor?: string | undefined
  }>
  readonly called: (item: Item) => { readonly id: string; readonly title?: string | undefined }
}

/** The one that a whole id or the beginning of one stands for; undefined where there is none. */
export async function findById<Item>(kept: Kept<Item>, given: string): Promise<Item | undefined> {
  const written = given.trim().toLowerCase()
  const id = SessionId.safeParse(written)
  const exact = id.success ? await kept.find(id.data) : undefined
  if (exact) return exact

  const beginning = written.replace(/^ses_/, '')
  if (beginning === '') throw tooShort(given)
  const found = await matching(kept, beginning)
  const [only, another] = found
  if (another) throw ambiguous(given, found.map(kept.called))
  return only
}

const tooShort = (given: string) =>
  new PlatformError('validation', {
    message:
      given.trim() === ''
        ? 'An empty id stands for no session.'
        : `Every id begins with "${given}". Write more of the one you mean.`,
    mend: '`parley sessions` lists the ids.',
  })

async function matching<Item>({ list, called }: Kept<Item>, beginning: string): Promise<readonly Item[]> {
  const found: Item[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
    found.push(...page.items.filter((item) => called(item).id.startsWith(`ses_${beginning}`)))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

function ambiguous(given: string, found: readonly { id: string; title?: string | undefined }[]) {
  const named = found.slice(0, MOST_NAMED).map(({ id, title }) => {
    return `${shortId(id, 12)}  ${fitText(neutralise(title ?? ''), 50)}`.trimEnd()
  })
  const more = found.length - named.length
  const candidates = more > 0 ? [...named, `and ${more} more`] : named
  return new PlatformError('validation', {
    message: `The ids of ${found.length} sessions begin with "${given}". Write more of the one you mean.`,
    mend: candidates.join('\n'),
    candidates: found.map(({ id }) => id),
  })
}

/** A session that a command names, and what can be done with it, wherever it is kept. */
export interface NamedSession extends Pick<SessionStore, 'readMessages' | 'getMedia'> {
  readonly id: SessionId
  /** As it was when it was found. */
  readonly view: SessionView
  /** Who answers in it. */
  readonly agent: string
  /** As it stands now. */
  look(): Promise<SessionView>
  rename(title: string): Promise<void>
  end(): Promise<void>
  /** False where nothing is being answered. */
  cancel(): Promise<boolean>
  remove(): Promise<void>
  exported(): Promise<{ readonly workflow: WorkflowDefinition; readonly yaml: string }>
  /** That it was exported is told in the session. */
  noteExport(): Promise<void>
}

/** Whoever has the history of a machine speaks in it. */
const OWN = { mayWrite: true }

/** One of the history of this machine. What it takes to do something with it is loaded when that is asked for. */
function sessionHere(record: AgentSessionRecord, history: History, config: Config): NamedSession {
  const { store } = history
  const { id, agentSnapshot, context } = record.session
  const sessions = () => openIdleSessions(history, config, context)
  return {
    id,
    view: sessionView(record, OWN),
    agent: agentSnapshot.name ?? agentSnapshot.id,
    readMessages: (sessionId, range) => store.readMessages(sessionId, range),
    getMedia: (sessionId, handle) => store.getMedia(sessionId, handle),
    look: async () => sessionView((await store.find(id)) ?? record, OWN),
    rename: async (title) => (await sessions()).rename(id, title),
    end: async () => (await sessions()).end(id),
    cancel: async () => (await sessions()).cancel(id),
    remove: async () => (await sessions()).remove(id),
    exported: async () => (await sessions()).exported(id),
    noteExport: async () => (await sessions()).noteExport(id),
  }
}

/** The beginning of an id after its prefix, enough to find by it what it stands for. */
export const shortId = (id: string, length = 8): string => id.slice(PREFIX, PREFIX + length)

const PREFIX = 'ses_'.length

/** A title that a person gives. */
export const SessionTitle = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'has at most 200 characters')

/** Works at the session that a command names first, here or at the Parley that runs, with the history open meanwhile. */
export async function atSession(
  call: CommandCall,
  work: (session: NamedSession, config: Config) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io, positionals } = call
  const config = readConfig(io.environment)
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const found = await findAnywhere(history.store, positionals[0], call)
    if (found.kind === 'here') return await work(sessionHere(found.record, history, config), config)
    const { sessionThere } = await import('./server-session.ts')
    return await work(await sessionThere(found.view, found.server.client), config)
  } finally {
    history.close()
  }
}
