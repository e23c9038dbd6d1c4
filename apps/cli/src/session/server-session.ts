import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiClient } from '@parley/api-client'
import { type ListedSession, PlatformError, type SessionMessage, type SessionView } from '@parley/contracts'
import { type CommandCall, type CommandHost, printJson } from '../commands/command.ts'
import type { ResumeOptions } from '../commands/resume.ts'
import { type SessionListOptions, formatMoreHint } from '../commands/sessions.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { listPrompts } from '../prompt/earlier-prompts.ts'
import { type ServerConnection, connectToServer, connectIfRunning } from '../reflection/server-connection.ts'
import { readAll, readUpTo } from '../read-pages.ts'
import { quoteTitle, renderSessionTable } from '../render/columns.ts'
import { printMessage } from '../render/output.ts'
import { loadMarkdown } from '../render/display.ts'
import type { Status } from '../render/session-lines.ts'
import { toInlineText } from '../render/text.ts'
import { renderLastTurns } from '../render/transcript.ts'
import { type SlashHost, requireSessionId } from '../slash/slash-host.ts'
import { type ApprovalRequest, type Chat, type ChatSessions, createChat } from '../chat/chat.ts'
import type { OpenChat } from '../chat/chat-at-prompt.ts'
import { type FoundSession, type NamedSession, findById, shortenId } from './find-session.ts'
import { describeUnfinishedTurn } from './notes.ts'

/** Finds a session on the running server, or throws with a hint where to look. */
export async function findServerSession(
  given: string | undefined,
  notFound: PlatformError,
  host: CommandHost,
): Promise<{ readonly view: SessionView; readonly server: ServerConnection }> {
  const server = await connectIfRunning(host)
  if (!server) throw hintToStartServer(notFound, host.environment.home)
  if (given === undefined) throw replaceFix(notFound, `\`parley chat\` starts one. ${LIST_SERVER}`)
  const { sessions } = server.client
  const found = await findById(
    {
      find: (id) => sessions.get(id).catch(ignoreMissing),
      list: (page) => sessions.list({ ...page, whose: 'all' }),
      identify: (view) => view,
    },
    given,
  )
  if (found) return { view: await sessions.get(found.id), server }
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id starts with "${given}", neither on this machine nor on the running server.`,
    fix: `\`parley sessions\` lists the sessions on this machine. ${LIST_SERVER}`,
    given,
  })
}

const LIST_SERVER = '`parley sessions --server` lists the sessions on the running server.'

/** Server sessions are visible only while the server runs. */
const hintToStartServer = (notFound: PlatformError, home: string): PlatformError =>
  existsSync(join(home, 'postgres'))
    ? replaceFix(
        notFound,
        '`parley sessions` lists the sessions on this machine. For sessions with reflections and from the browser, start the server: `parley up`.',
      )
    : notFound

const replaceFix = (failure: PlatformError, fix: string): PlatformError =>
  new PlatformError(failure.code, { ...failure.detail, fix }, { cause: failure })

function ignoreMissing(failure: unknown): undefined {
  if (failure instanceof PlatformError && failure.code === 'session_not_found') return undefined
  throw failure
}

export async function createServerSession(view: SessionView, client: ApiClient): Promise<NamedSession> {
  const { sessions } = client
  const { id } = view
  return {
    id,
    view,
    agent: await readAgentName(view, client),
    readMessages: async (sessionId, { after, limit }) =>
      (await sessions.messages({ sessionId, after, limit })).items,
    getMedia: (sessionId, handle) => sessions.media({ sessionId, handle }),
    refresh: () => sessions.get(id),
    rename: async (title) => void (await sessions.rename({ sessionId: id, title })),
    end: async () => void (await sessions.end(id)),
    cancel: async () => (await sessions.cancel(id)).cancelled,
    remove: () => sessions.remove(id),
    exportWorkflow: () => sessions.export(id),
    // The server recorded the export itself.
    recordExport: async () => undefined,
  }
}

/** The partner of the session: the name of the reflection, else the model. */
async function readAgentName({ reflection, model }: SessionView, client: ApiClient): Promise<string> {
  if (reflection?.id === undefined) return model
  return (await client.reflections.get(reflection.id)).displayName
}

/** Adapts the sessions of a server for a chat. */
export function createServerSessions({ sessions }: ApiClient): ChatSessions {
  const toSent = (accepted: Awaited<ReturnType<typeof sessions.send>>) => ({ ...accepted, firstSequence: 0 })
  return {
    send: async (sessionId, message) => {
      const text = typeof message === 'string' ? message : message.text
      return toSent(await sessions.send({ sessionId, text, idempotencyKey: randomUUID() }))
    },
    continue: async (sessionId) => toSent(await sessions.continue(sessionId)),
    decide: async (sessionId, callId, { decision, inputHash }) =>
      toSent(
        await sessions.decide({ sessionId, callId, decision, ...(inputHash !== undefined && { inputHash }) }),
      ),
    cancel: async (sessionId) => (await sessions.cancel(sessionId)).cancelled,
    streamEvents: (reading) => sessions.events(reading),
  }
}

type ServerChat = Pick<OpenChat, 'greet' | 'waiting' | 'endsOnQuit'> &
  Partial<Pick<OpenChat, 'history'>> &
  Pick<Status, 'agent' | 'model' | 'provider'> & { readonly leaving?: string }

/** A chat in a session on the running server; local files are never sent. */
export const openServerChat = (
  chat: Chat,
  client: ApiClient,
  { agent, model, provider, leaving, ...given }: ServerChat,
): OpenChat => ({
  chat,
  history: [],
  earlier: async () => [],
  slash: createServerSlashHost(chat, client, leaving),
  status: () => ({ agent, model, provider }),
  onTurnEnd: async () => undefined,
  close: async () => undefined,
  refusesFiles: true,
  ...given,
})

/** The slash commands for a session on the running server. */
const createServerSlashHost = (chat: Chat, { sessions }: ApiClient, leaving?: string): SlashHost => ({
  leaving,
  rename: async (title) => void (await sessions.rename({ sessionId: requireSessionId(chat), title })),
  async cancel() {
    const { sessionId } = chat
    return sessionId !== undefined && (await sessions.cancel(sessionId)).cancelled
  },
  cost: async () => (chat.sessionId ? (await sessions.get(chat.sessionId)).costs : {}),
  async export(path) {
    const sessionId = requireSessionId(chat)
    const { exportToNewFile } = await import('../commands/export-session.ts')
    return exportToNewFile({ exportSession: (id) => sessions.export(id) }, sessionId, {
      workingDir: process.cwd(),
      path,
    })
  },
})

/** How many messages are read to find the ones to show again. */
const TAIL = 200

/** Resumes a session on the running server; leaving does not end it. */
export async function resumeServerSession(
  { view: found, server: { client } }: Extract<FoundSession, { kind: 'server' }>,
  given: ResumeOptions,
): Promise<OpenChat> {
  refuseLocalOptions(given)
  if (found.status === 'ended') throw createSessionEndedError(found)
  const { id, openTurn } = found
  const { agent } = await createServerSession(found, client)
  const view = await client.sessions.resume(id)
  const messages = await readLastMessages(view, client)
  const chat = createChat(createServerSessions(client), {
    openSession: async () => view,
    sessionId: id,
    after: view.lastSequence,
  })
  const last = given.continue
    ? { open: 'running' as const }
    : { open: openTurn?.state, note: describeUnfinishedTurn({ id, openTurn }, messages) }
  const { model, provider } = view
  return openServerChat(chat, client, {
    agent,
    model,
    provider,
    history: listPrompts(messages),
    greet: async (display) =>
      `${display.style.bold(toInlineText(agent))}\n${display.style.dim(PLACE)}\n\n${renderLastTurns(
        { session: view, agent: { name: agent, model }, messages, ...last },
        await loadMarkdown(display, messages),
      )}`,
    waiting: await readWaitingCall(view, client),
  })
}

const PLACE = 'on the running server; /help lists commands, Ctrl-C stops an answer, Ctrl-D quits'

async function readLastMessages(
  { id: sessionId, messageCount }: SessionView,
  { sessions }: ApiClient,
): Promise<readonly SessionMessage[]> {
  const after = Math.max(0, messageCount - TAIL)
  return (await sessions.messages({ sessionId, after, limit: TAIL })).items
}

/** The waiting call is the last event of the turn. */
async function readWaitingCall(
  { id: sessionId, lastSequence, openTurn }: SessionView,
  { sessions }: ApiClient,
): Promise<ApprovalRequest | undefined> {
  if (openTurn?.state !== 'waiting') return undefined
  const { signal } = new AbortController()
  for await (const event of sessions.events({ sessionId, after: lastSequence - 1, signal })) {
    return event.type === 'agent:approval_requested' ? event : undefined
  }
  return undefined
}

/** Options for local sessions only. */
function refuseLocalOptions({ agent, model, file }: ResumeOptions): void {
  const flag = agent !== undefined ? '--agent' : model !== undefined ? '--model' : '--file'
  if (flag === '--file' && file.length === 0) return
  throw new PlatformError('validation', {
    message: `${REASONS[flag]}, so ${flag} does not apply.`,
    fix: `Remove ${flag}.`,
  })
}

const OWN_AGENT = 'This session is on the running server and keeps its own agent'
const REASONS = {
  '--agent': OWN_AGENT,
  '--model': OWN_AGENT,
  '--file': 'This session is on the running server, which accepts only text',
} as const

const createSessionEndedError = (view: SessionView) =>
  new PlatformError('session_ended', {
    message: `${quoteTitle(view)} has ended and accepts no more messages.`,
    fix: `\`parley sessions show ${shortenId(view.id)}\` prints the messages; \`parley chat --reflection NAME\` starts a new one.`,
    sessionId: view.id,
  })

export async function listServerSessions(call: CommandCall, query: SessionListOptions): Promise<ExitCode> {
  const { io, json } = call
  const { client, display } = await connectToServer(call)
  const { limit, search } = query
  const { items, more } = await readUpTo(limit, (page) =>
    client.sessions.list({ ...page, ...(search !== undefined && { search }) }),
  )
  if (json) return printJson(io, { items, more })
  if (items.length === 0) {
    printMessage(
      io.stdout,
      search === undefined ? NONE_AT_SERVER : `No session on the running server contains "${search}".`,
    )
    return EXIT.done
  }
  const { columns, style } = display
  const names = await readNames(items, client)
  const partner = ({ reflectionId, model }: ListedSession) => names.get(reflectionId ?? '') ?? model
  io.stdout.write(renderSessionTable(items, columns, style, partner))
  if (more) io.stdout.write(`${style.dim(formatMoreHint(query, 'parley sessions --server'))}\n`)
  return EXIT.done
}

const NONE_AT_SERVER =
  'You have no sessions on the running server yet. Start one with: parley chat --reflection NAME'

/** Requested only if a session is with a reflection. */
async function readNames(
  items: readonly ListedSession[],
  client: ApiClient,
): Promise<ReadonlyMap<string, string>> {
  if (items.every(({ reflectionId }) => reflectionId === undefined)) return new Map()
  const reflections = await readAll((page) => client.reflections.list(page))
  return new Map(reflections.map(({ id, displayName }) => [id, displayName]))
}
