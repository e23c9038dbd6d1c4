import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiClient } from '@parley/api-client'
import { type ListedSession, PlatformError, type SessionMessage, type SessionView } from '@parley/contracts'
import type { CommandCall } from '../commands/command.ts'
import type { ResumeOptions } from '../commands/resume.ts'
import { type Wanted, moreOf } from '../commands/sessions.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { promptsIn } from '../prompt/earlier-prompts.ts'
import { type AtServer, atServer, atServerIfAny, upTo } from '../reflection/at-server.ts'
import { quotedTitle, renderSessionTable } from '../render/columns.ts'
import { jsonLine, tell } from '../render/output.ts'
import { lookFor } from '../render/screen-look.ts'
import type { Status } from '../render/session-lines.ts'
import { inLine } from '../render/text.ts'
import { renderLastTurns } from '../render/transcript.ts'
import { type SlashHost, begun } from '../slash/slash-host.ts'
import {
  type ApprovalRequest,
  type Conversation,
  type TalkedIn,
  createConversation,
} from '../talk/conversation.ts'
import type { Opened } from '../talk/run-conversation.ts'
import { type FoundSession, type NamedSession, findById, shortId } from './find-session.ts'
import { resumeNote } from './notes.ts'

/** The session at the Parley that runs. Throws that it is not here, with where else there may be some, where it is not there. */
export async function findThere(
  given: string | undefined,
  notHere: PlatformError,
  call: Pick<CommandCall, 'io'>,
): Promise<{ readonly view: SessionView; readonly server: AtServer }> {
  const server = await atServerIfAny(call)
  if (!server) throw maybeThere(notHere, readConfig(call.io.environment).home)
  if (given === undefined) throw mendedBy(notHere, `\`parley chat\` starts one. ${SEE_THOSE}`)
  const { sessions } = server.client
  const found = await findById(
    {
      find: (id) => sessions.get(id).catch(unlessMissing),
      list: (page) => sessions.list({ ...page, whose: 'all' }),
      called: (view) => view,
    },
    given,
  )
  if (found) return { view: await sessions.get(found.id), server }
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id begins with "${given}", neither on this machine nor at the Parley that runs.`,
    mend: `\`parley sessions\` lists those of this machine. ${SEE_THOSE}`,
    given,
  })
}

const SEE_THOSE = '`parley sessions --server` lists those of the Parley that runs.'

/** What was ever served from this data folder is there again once it is served. */
const maybeThere = (notHere: PlatformError, home: string): PlatformError =>
  existsSync(join(home, 'postgres'))
    ? mendedBy(
        notHere,
        '`parley sessions` lists those of this machine. Those with reflections and of the browser can be had while Parley runs: `parley up`.',
      )
    : notHere

const mendedBy = (failure: PlatformError, mend: string): PlatformError =>
  new PlatformError(failure.code, { ...failure.detail, mend }, { cause: failure })

function unlessMissing(failure: unknown): undefined {
  if (failure instanceof PlatformError && failure.code === 'session_not_found') return undefined
  throw failure
}

/** One of the Parley that runs. */
export async function sessionThere(view: SessionView, client: ApiClient): Promise<NamedSession> {
  const { sessions } = client
  const { id } = view
  return {
    id,
    view,
    agent: await speakerOf(view, client),
    readMessages: async (sessionId, { after, limit }) =>
      (await sessions.messages({ sessionId, after, limit })).items,
    getMedia: (sessionId, handle) => sessions.media({ sessionId, handle }),
    look: () => sessions.get(id),
    rename: async (title) => void (await sessions.rename({ sessionId: id, title })),
    end: async () => void (await sessions.end(id)),
    cancel: async () => (await sessions.cancel(id)).cancelled,
    remove: () => sessions.remove(id),
    exported: () => sessions.export(id),
    // The server has noted it when it gave the file.
    noteExport: async () => undefined,
  }
}

/** Whom the session is with: a reflection by its name, any other agent by its model. */
async function speakerOf({ reflection, model }: SessionView, client: ApiClient): Promise<string> {
  if (reflection?.id === undefined) return model
  return (await client.reflections.get(reflection.id)).displayName
}

/** The sessions of a server, as a person talks in them. */
export function sessionsAt({ sessions }: ApiClient): TalkedIn {
  const opened = (accepted: Awaited<ReturnType<typeof sessions.send>>) => ({ ...accepted, firstSequence: 0 })
  return {
    send: async (sessionId, said) => {
      const text = typeof said === 'string' ? said : said.text
      return opened(await sessions.send({ sessionId, text, idempotencyKey: randomUUID() }))
    },
    continue: async (sessionId) => opened(await sessions.continue(sessionId)),
    decide: async (sessionId, callId, { decision, inputHash }) =>
      opened(
        await sessions.decide({ sessionId, callId, decision, ...(inputHash !== undefined && { inputHash }) }),
      ),
    cancel: async (sessionId) => (await sessions.cancel(sessionId)).cancelled,
    events: (reading) => sessions.events(reading),
  }
}

type Given = Pick<Opened, 'greet' | 'aside' | 'waiting' | 'afterwards'> &
  Partial<Pick<Opened, 'history'>> &
  Pick<Status, 'agent' | 'model' | 'provider'> & { readonly leaving?: string }

/** A conversation in a session of the Parley that runs: no file of this machine goes there. */
export const openedAtServer = (
  conversation: Conversation,
  client: ApiClient,
  { agent, model, provider, leaving, ...given }: Given,
): Opened => ({
  conversation,
  history: [],
  earlier: async () => [],
  slash: createServerSlashHost(conversation, client, leaving),
  status: () => ({ agent, model, provider }),
  onTurnEnd: async () => undefined,
  close: async () => undefined,
  files: 'not-taken',
  ...given,
})

/** What can be done with a session of the Parley that runs, while one talks in it. */
const createServerSlashHost = (
  conversation: Conversation,
  { sessions }: ApiClient,
  leaving?: string,
): SlashHost => ({
  leaving,
  rename: async (title) => void (await sessions.rename({ sessionId: begun(conversation), title })),
  async cancel() {
    const { sessionId } = conversation
    return sessionId !== undefined && (await sessions.cancel(sessionId)).cancelled
  },
  cost: async () => (conversation.sessionId ? (await sessions.get(conversation.sessionId)).costs : {}),
  async export(path) {
    const sessionId = begun(conversation)
    const { exportHere } = await import('../commands/export-session.ts')
    return exportHere({ exported: (id) => sessions.export(id) }, sessionId, {
      workingDir: process.cwd(),
      path,
    })
  },
})

/** How many messages are looked through for what is shown again. */
const TAIL = 200

/** Goes on with a session of the Parley that runs; it stays as it is when the person leaves. */
export async function resumeThere(
  { view: found, server: { client } }: Extract<FoundSession, { kind: 'there' }>,
  given: ResumeOptions,
): Promise<Opened> {
  refuseOthers(given)
  if (found.status === 'ended') throw isEnded(found)
  const { id, openTurn } = found
  const { agent } = await sessionThere(found, client)
  const view = await client.sessions.resume(id)
  const messages = await lastMessages(view, client)
  const conversation = createConversation(sessionsAt(client), {
    session: async () => view,
    sessionId: id,
    after: view.lastSequence,
  })
  const last = given.continue
    ? { open: 'running' as const }
    : { open: openTurn?.state, note: resumeNote({ id, openTurn }, messages) }
  const { model, provider } = view
  return openedAtServer(conversation, client, {
    agent,
    model,
    provider,
    history: promptsIn(messages),
    greet: async (look) =>
      `${look.style.bold(inLine(agent))}\n${look.style.dim(PLACE)}\n\n${renderLastTurns(
        { session: view, agent: { name: agent, model }, messages, ...last },
        await lookFor(look, messages),
      )}`,
    waiting: await waitingCall(view, client),
  })
}

const PLACE = 'at the Parley that runs; /help lists commands, Ctrl-C stops an answer, Ctrl-D leaves'

async function lastMessages(
  { id: sessionId, messageCount }: SessionView,
  { sessions }: ApiClient,
): Promise<readonly SessionMessage[]> {
  const after = Math.max(0, messageCount - TAIL)
  return (await sessions.messages({ sessionId, after, limit: TAIL })).items
}

/** The call that a turn waits with is the last thing that was told of it. */
async function waitingCall(
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

/** What a session of this machine can be resumed with, and one of a server cannot. */
function refuseOthers({ agent, model, file }: ResumeOptions): void {
  const flag = agent !== undefined ? '--agent' : model !== undefined ? '--model' : '--file'
  if (flag === '--file' && file.length === 0) return
  throw new PlatformError('validation', {
    message: `${WHY[flag]}: ${flag} is not for it.`,
    mend: `Leave out ${flag}.`,
  })
}

const OWN_AGENT = 'This session is kept at the Parley that runs, and goes on with its own agent'
const WHY = {
  '--agent': OWN_AGENT,
  '--model': OWN_AGENT,
  '--file': 'This session is kept at the Parley that runs, and only words are sent there',
} as const

const isEnded = (view: SessionView) =>
  new PlatformError('session_ended', {
    message: `${quotedTitle(view)} has ended, and nothing more can be said in it.`,
    mend: `\`parley sessions show ${shortId(view.id)}\` prints what was said; \`parley chat --reflection NAME\` starts a new one.`,
    sessionId: view.id,
  })

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
    tell(
      io.stdout,
      search === undefined ? NONE_AT_SERVER : `No session of the Parley that runs holds "${search}".`,
    )
    return EXIT.done
  }
  const { columns, style } = screen
  const names = await namesOf(items, client)
  const withWhom = ({ reflectionId, model }: ListedSession) => names.get(reflectionId ?? '') ?? model
  io.stdout.write(renderSessionTable(items, columns, style, withWhom))
  if (more) io.stdout.write(`${style.dim(moreOf(wanted, 'parley sessions --server'))}\n`)
  return EXIT.done
}

const NONE_AT_SERVER =
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
