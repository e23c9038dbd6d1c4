import { z } from 'zod'
import { type Agent, type AgentSession, PlatformError, type SessionMessage } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore, Sessions } from '@parley/engine'
import type { History } from '@parley/history'
import { createAgentSearch, findAgent } from '../agent/find-agent.ts'
import { type ChatSetup, loadChatSetup, LOCAL_PERSON, openLocalSessions, requireModel } from '../compose.ts'
import type { Environment } from '../environment.ts'
import { type Settings, loadSettings } from '../config/load-settings.ts'
import { readEarlierPrompts, listPrompts } from '../prompt/earlier-prompts.ts'
import { type Display, loadMarkdown, readDisplay } from '../render/display.ts'
import { renderHeader } from '../render/session-lines.ts'
import { type ResumedSession, renderLastTurns } from '../render/transcript.ts'
import { type FoundSession, findLocalOrServerSession, shortenId } from '../session/find-session.ts'
import {
  describeSessionFolder,
  readLastUsage,
  readWaitingCall,
  describeUnfinishedTurn,
} from '../session/notes.ts'
import { toPlainSettings, parseModel, listUsableTools, changeModel } from '../session/session-agent.ts'
import { type LocalChat, createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createChat } from '../chat/chat.ts'
import { runChat } from '../chat/run-chat.ts'
import type { OpenChat } from '../chat/chat-at-prompt.ts'
import { type CommandCall, parseOptions } from './command.ts'

/** How many messages are read to find the ones to show again. */
const TAIL = 200

export async function resumeSession(call: CommandCall) {
  const { io, json, options, positionals, environment } = call
  const input = parseOptions(ResumeOptions, options)
  refuseContradiction(input)
  const find = (agentRef: string) => findAgent(agentRef, createAgentSearch(call))
  const setup = await loadChatSetup(call)
  const agent = input.agent === undefined ? undefined : await find(input.agent)
  const model = input.model === undefined ? undefined : parseModel(input.model, setup.providers)

  const isInteractive = input.message === undefined && !input.continue && !input.latest && !json
  const canPick = isInteractive && environment.escapes && io.stdin.isTTY && io.stdout.isTTY
  const chooseSession = async (store: SessionStore, id: string | undefined): Promise<FoundSession> => {
    if (id !== undefined || !canPick) return findLocalOrServerSession(store, id, call)
    const { pickSession } = await import('../session/pick-session.ts')
    const { style } = readDisplay(io.stdout, environment)
    const picked = await pickSession(store, { input: io.stdin, output: io.stdout }, style)
    return picked ? { kind: 'local', record: picked } : findLocalOrServerSession(store, undefined, call)
  }

  const openLocal = async (history: History, record: AgentSessionRecord): Promise<OpenChat> => {
    const { store } = history
    const { session } = record
    const known = agent ?? session.agentSnapshot
    const next = model === undefined ? known : changeModel(known, model, toPlainSettings(setup.settings))
    const isFork = agent !== undefined || model !== undefined
    const fix = `Restore it with \`parley providers add ${next.provider}\` or its key, or use another model in a new session: \`parley resume ${shortenId(session.id)} --model PROVIDER/MODEL\`.`
    requireModel(next, setup.models, isFork ? undefined : fix)
    const { sessions, close } = await openLocalSessions(history, { environment, ...setup })
    const settings = await loadSessionSettings(session.context.workingDir, environment, setup)
    const folder = await describeSessionFolder({ ...session, agentSnapshot: next }, process.cwd())
    const local = { ...setup, settings, sessions, store, findAgent: find, folder }
    const opened = isFork ? fork(record, next, local) : continueSession(record, input, local)
    return { ...(await opened), close }
  }
  return runChat({ io, json, environment, ...input }, async (openHistory) => {
    const history = await openHistory()
    const found = await chooseSession(history.store, positionals[0])
    if (found.kind === 'local') return () => openLocal(history, found.record)
    const { resumeServerSession } = await import('../session/server-session.ts')
    return () => resumeServerSession(found, input)
  })
}

/** The settings for the folder of the session. Errors there matter only to tools. */
const loadSessionSettings = async (
  workingDir: string,
  environment: Environment,
  { settings }: ChatSetup,
): Promise<Settings> =>
  workingDir === process.cwd() ? settings : loadSettings(environment, { workingDir }).catch(() => settings)

interface ResumedLocally extends ChatSetup {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly findAgent: (agentRef: string) => Promise<Agent>
  /** A note about the folder of the session. */
  readonly folder: string | undefined
}

type ResumedChat = Omit<OpenChat, 'close'>

interface ChatBeginning extends Pick<LocalChat, 'agent' | 'costs' | 'usage'> {
  readonly session: AgentSession
  /** The number of the last event. */
  readonly after: number
  readonly messages: readonly SessionMessage[]
  readonly last: Partial<Pick<ResumedSession, 'open' | 'note'>>
}

function createResumedChat(
  { session, agent, after, messages, last, ...figures }: ChatBeginning,
  local: ResumedLocally,
) {
  const { sessions, store, settings } = local
  const { workingDir, fsScopeTier: fsScope } = session.context
  const chat = createChat(sessions, {
    openSession: async () => session,
    sessionId: session.id,
    after,
  })
  const access = { workingDir, fsScope, tools: listUsableTools(agent, settings) }
  return {
    chat,
    history: listPrompts(messages),
    earlier: () => readEarlierPrompts(store, () => chat.sessionId),
    greet: async (display: Display, files: readonly string[]) =>
      renderHeader({ agent, access, files }, display) +
      renderLastTurns(
        { session, agent: { name: agent.name ?? agent.id, model: agent.model }, messages, ...last },
        await loadMarkdown(display, messages),
      ),
    ...createLocalSlashHost({
      ...local,
      ...figures,
      chat,
      agent,
      workingDir: process.cwd(),
      fsScope,
    }),
  }
}

async function continueSession(
  found: AgentSessionRecord,
  input: ResumeOptions,
  local: ResumedLocally,
): Promise<ResumedChat> {
  const { sessions, store } = local
  const sessionId = found.session.id
  await sessions.settle(sessionId)
  const record = (await store.find(sessionId)) ?? found
  const { session, lastSequence } = record
  const messages = await store.readTail(sessionId, TAIL)
  const last = input.continue
    ? { open: 'running' as const, note: local.folder }
    : {
        open: found.openTurn?.state,
        note: joinNotes(
          local.folder,
          describeUnfinishedTurn({ id: sessionId, openTurn: found.openTurn }, messages),
        ),
      }
  return {
    ...createResumedChat(
      {
        session,
        agent: session.agentSnapshot,
        after: lastSequence,
        messages,
        last,
        costs: session.costs,
        usage: await readLastUsage(record, store),
      },
      local,
    ),
    noteBefore: joinNotes(
      local.folder,
      found.openTurn?.state === 'interrupted' && !input.continue ? INTERRUPTED : undefined,
    ),
    waiting: await readWaitingCall(record, store),
  }
}

const joinNotes = (...notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join('\n') || undefined

const INTERRUPTED = 'The previous answer was interrupted; your earlier message is saved but unanswered.'

async function fork(
  { session: from }: AgentSessionRecord,
  agent: Agent,
  local: ResumedLocally,
): Promise<ResumedChat> {
  const { sessions, store } = local
  const session = await sessions.fork(from.id, { ownerId: LOCAL_PERSON, agent })
  const messages = await store.readTail(session.id, TAIL)
  const hasNotes = messages.some(({ marker }) => marker?.kind === 'rolled_back')
  const notes = hasNotes ? '; the model sees a note for each unanswered message' : ''
  const notice = `This is a new session, ${session.id}, with the same past as ${from.id}${notes}.`
  const note = joinNotes(notice, local.folder)
  return {
    ...createResumedChat({ session, agent, after: 0, messages, last: { note } }, local),
    noteBefore: note,
  }
}

function refuseContradiction({ continue: continues, agent, model, message, file }: ResumeOptions): void {
  if (!continues) return
  if (message !== undefined || file.length > 0) {
    throw new PlatformError('validation', {
      message: '--continue answers the last message; --message and --file send a new one.',
      fix: 'Use one or the other.',
    })
  }
  if (agent !== undefined || model !== undefined) {
    const option = agent === undefined ? '--model' : '--agent'
    throw new PlatformError('validation', {
      message: `--continue keeps the agent of the session; ${option} starts a new session with another one.`,
      fix: 'Use one or the other.',
    })
  }
}

export const ResumeOptions = z.object({
  agent: z.string().optional(),
  continue: z.boolean().default(false),
  file: z.array(z.string()).default([]),
  latest: z.boolean().default(false),
  message: z.string().optional(),
  model: z.string().optional(),
})
export type ResumeOptions = z.infer<typeof ResumeOptions>
