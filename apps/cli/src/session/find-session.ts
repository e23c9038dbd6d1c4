import { z } from 'zod'
import { PlatformError, SessionId, type SessionView, type WorkflowDefinition } from '@parley/contracts'
import { type AgentSessionRecord, type SessionStore, toSessionView } from '@parley/engine'
import type { History } from '@parley/history'
import type { CommandCall, CommandHost } from '../commands/command.ts'
import { openIdleSessions, withLocalHistory } from '../compose.ts'
import type { Environment } from '../environment.ts'
import type { ExitCode } from '../exit-code.ts'
import type { ServerConnection } from '../reflection/server-connection.ts'
import { type ReadPage, readAll } from '../read-pages.ts'
import { fitText, sanitise } from '../render/text.ts'

export type FoundSession =
  | { readonly kind: 'local'; readonly record: AgentSessionRecord }
  | { readonly kind: 'server'; readonly view: SessionView; readonly server: ServerConnection }

/** Finds a session in the local history, else on the running server. */
export async function findLocalOrServerSession(
  store: SessionStore,
  given: string | undefined,
  host: CommandHost,
): Promise<FoundSession> {
  try {
    return { kind: 'local', record: await findSession(store, given) }
  } catch (failure) {
    if (!(failure instanceof PlatformError) || failure.code !== 'session_not_found') throw failure
    const { findServerSession } = await import('./server-session.ts')
    return { kind: 'server', ...(await findServerSession(given, failure, host)) }
  }
}

/** Finds a session by id or the start of it; without one, the latest. */
export async function findSession(
  store: SessionStore,
  given: string | undefined,
): Promise<AgentSessionRecord> {
  if (given === undefined) return findLatest(store)
  const found = await findById(
    {
      find: (id) => store.find(id),
      list: (page) => store.list(page),
      identify: ({ session }) => session,
    },
    given,
  )
  if (found) return found
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id starts with "${given}".`,
    given,
  })
}

async function findLatest(store: SessionStore): Promise<AgentSessionRecord> {
  const { items } = await store.list({ limit: 1 })
  const [record] = items
  if (record) return record
  throw new PlatformError('session_not_found', {
    message: 'There are no sessions yet.',
    fix: '`parley chat` starts one.',
  })
}

/** A place to look up sessions. */
interface SessionLookup<Item> {
  readonly find: (id: SessionId) => Promise<Item | undefined>
  readonly list: ReadPage<Item>
  readonly identify: (item: Item) => Pick<SessionView, 'id' | 'title'>
}

/** The match for an id or the start of one, if any. */
export async function findById<Item>(lookup: SessionLookup<Item>, given: string): Promise<Item | undefined> {
  const written = given.trim().toLowerCase()
  const id = SessionId.safeParse(written)
  const exact = id.success ? await lookup.find(id.data) : undefined
  if (exact) return exact

  const beginning = written.replace(/^ses_/, '')
  if (beginning === '') throw createTooShortIdError(given)
  const matches = (await readAll(lookup.list)).filter((item) =>
    lookup.identify(item).id.startsWith(`ses_${beginning}`),
  )
  const [only, another] = matches
  if (!another) return only
  throw createAmbiguityError(
    `The ids of ${matches.length} sessions start with "${given}". Type more of the id.`,
    matches.map(lookup.identify),
  )
}

const createTooShortIdError = (given: string) =>
  new PlatformError('validation', {
    message:
      given.trim() === '' ? 'Session ID is empty.' : `Every id starts with "${given}". Type more of the id.`,
    fix: '`parley sessions` lists the ids.',
  })

const MAX_NAMED = 5

export function createAmbiguityError(
  message: string,
  matches: readonly { readonly id: string; readonly title?: string | undefined }[],
): PlatformError {
  const named = matches
    .slice(0, MAX_NAMED)
    .map(({ id, title = '' }) => `${shortenId(id, 12)}  ${fitText(sanitise(title), 50)}`.trimEnd())
  const more = matches.length - named.length
  return new PlatformError('validation', {
    message,
    fix: [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
    candidates: matches.map(({ id }) => id),
  })
}

/** A session named by a command, local or on the server. */
export interface NamedSession extends Pick<SessionStore, 'readMessages' | 'getMedia'> {
  readonly id: SessionId
  /** The state when it was found. */
  readonly view: SessionView
  readonly agent: string
  refresh(): Promise<SessionView>
  rename(title: string): Promise<void>
  end(): Promise<void>
  /** False if no answer is running. */
  cancel(): Promise<boolean>
  remove(): Promise<void>
  exportWorkflow(): Promise<{ readonly workflow: WorkflowDefinition; readonly yaml: string }>
  /** Records the export in the session. */
  recordExport(): Promise<void>
}

/** The owner of the local history is its user. */
const LOCAL_OWNER = { mayWrite: true }

/** A local session; the engine is loaded when an action needs it. */
function createLocalSession(
  record: AgentSessionRecord,
  history: History,
  environment: Environment,
): NamedSession {
  const { store } = history
  const { id, agentSnapshot, context } = record.session
  const sessions = () => openIdleSessions(history, environment, context)
  return {
    id,
    view: toSessionView(record, LOCAL_OWNER),
    agent: agentSnapshot.name ?? agentSnapshot.id,
    readMessages: (sessionId, range) => store.readMessages(sessionId, range),
    getMedia: (sessionId, handle) => store.getMedia(sessionId, handle),
    refresh: async () => toSessionView((await store.find(id)) ?? record, LOCAL_OWNER),
    rename: async (title) => (await sessions()).rename(id, title),
    end: async () => (await sessions()).end(id),
    cancel: async () => (await sessions()).cancel(id),
    remove: async () => (await sessions()).remove(id),
    exportWorkflow: async () => (await sessions()).exportSession(id),
    recordExport: async () => (await sessions()).recordExport(id),
  }
}

/** A short form of an id, without its prefix. */
export const shortenId = (id: string, length = 8): string => id.slice(PREFIX, PREFIX + length)

const PREFIX = 'ses_'.length

/** A title set by the user. */
export const SessionTitle = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'has at most 200 characters')

/** Runs `work` on the session that a command names, local or on the server. */
export async function withNamedSession(
  call: CommandCall,
  work: (session: NamedSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withLocalHistory(call, async (history) => {
    const found = await findLocalOrServerSession(history.store, call.positionals[0], call)
    if (found.kind === 'local') return work(createLocalSession(found.record, history, call.environment))
    const { createServerSession } = await import('./server-session.ts')
    return work(await createServerSession(found.view, found.server.client))
  })
}
