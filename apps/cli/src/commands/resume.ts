import { z } from 'zod'
import { type Agent, type AgentSession, PlatformError } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore, Sessions } from '@parley/engine'
import type { History } from '@parley/history'
import { createAgentSearch, findAgent } from '../agent/find-agent.ts'
import { type ChatSetup, loadChatSetup, LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import type { Environment } from '../environment.ts'
import { type Settings, loadSettings } from '../config/load-settings.ts'
import { readEarlierPrompts, listPrompts } from '../prompt/earlier-prompts.ts'
import { loadMarkdown, readDisplay } from '../render/display.ts'
import { renderHeader } from '../render/session-lines.ts'
import { renderLastTurns } from '../render/transcript.ts'
import { type FoundSession, findLocalOrServerSession, shortenId } from '../session/find-session.ts'
import {
  describeSessionFolder,
  readLastUsage,
  readWaitingCall,
  describeUnfinishedTurn,
} from '../session/notes.ts'
import { toPlainSettings, parseModel, listUsableTools, changeModel } from '../session/session-agent.ts'
import { type LocalTalk, createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createConversation } from '../talk/conversation.ts'
import { runConversation } from '../talk/run-conversation.ts'
import type { OpenConversation } from '../talk/talk.ts'
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
    return picked ? { kind: 'here', record: picked } : findLocalOrServerSession(store, undefined, call)
  }

  let choice: Promise<FoundSession> | undefined
  const choose = ({ store }: History) => (choice ??= chooseSession(store, positionals[0]))
  const open = async (history: History): Promise<OpenConversation> => {
    const { store } = history
    const chosen = await choose(history)
    if (chosen.kind === 'there')
      return (await import('../session/server-session.ts')).resumeServerSession(chosen, input)
    const { record } = chosen
    const { session } = record
    const known = agent ?? session.agentSnapshot
    const next = model === undefined ? known : changeModel(known, model, toPlainSettings(setup.settings))
    const isFork = agent !== undefined || model !== undefined
    if (isFork) setup.models.modelOf(next)
    else refuseWithoutModel(session, setup)
    const { sessions, close } = await openLocalSessions(history, { environment, ...setup })
    const settings = await loadSessionSettings(session.context.workingDir, environment, setup)
    const folder = await describeSessionFolder({ ...session, agentSnapshot: next }, process.cwd())
    const local = { ...setup, settings, sessions, store, findAgent: find, folder }
    const opened = isFork ? fork(record, next, local) : continueSession(record, input, local)
    return { ...(await opened), close }
  }
  return runConversation({ io, json, environment, ...input }, open, choose)
}

/** A session keeps its agent; the model of that agent may no longer be available. */
function refuseWithoutModel({ id, agentSnapshot }: AgentSession, { models }: ChatSetup): void {
  try {
    models.modelOf(agentSnapshot)
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    const fix = `Restore it with \`parley providers add ${agentSnapshot.provider}\` or its key, or use another model in a new session: \`parley resume ${shortenId(id)} --model PROVIDER/MODEL\`.`
    throw new PlatformError(failure.code, { ...failure.detail, fix }, { cause: failure })
  }
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

type ResumedTalk = Omit<OpenConversation, 'close'>

const createTalk = ({ context }: AgentSession, talk: Omit<LocalTalk, 'workingDir' | 'fsScope'>) => ({
  conversation: talk.conversation,
  earlier: () => readEarlierPrompts(talk.store, () => talk.conversation.sessionId),
  ...createLocalSlashHost({ ...talk, workingDir: process.cwd(), fsScope: context.fsScopeTier }),
})

async function continueSession(
  found: AgentSessionRecord,
  input: ResumeOptions,
  local: ResumedLocally,
): Promise<ResumedTalk> {
  const { sessions, store } = local
  const { id: sessionId, agentSnapshot } = found.session
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
  const conversation = createConversation(sessions, {
    session: async () => session,
    sessionId,
    after: lastSequence,
  })
  return {
    ...createTalk(session, {
      ...local,
      conversation,
      agent: agentSnapshot,
      costs: session.costs,
      usage: await readLastUsage(record, store),
    }),
    history: listPrompts(messages),
    greet: async (display, files) =>
      renderHeader({ agent: agentSnapshot, place: describePlace(session, local), files }, display) +
      renderLastTurns(
        { session, agent: toDisplayedAgent(agentSnapshot), messages, ...last },
        await loadMarkdown(display, messages),
      ),
    aside: joinNotes(
      local.folder,
      found.openTurn?.state === 'interrupted' && !input.continue ? INTERRUPTED : undefined,
    ),
    waiting: await readWaitingCall(record, store),
  }
}

const describePlace = ({ agentSnapshot, context }: AgentSession, { settings }: ResumedLocally) => ({
  workingDir: context.workingDir,
  fsScope: context.fsScopeTier,
  tools: listUsableTools(agentSnapshot, settings),
})

const toDisplayedAgent = ({ name, id, model }: Agent) => ({ name: name ?? id, model })

const joinNotes = (...notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join('\n') || undefined

const INTERRUPTED = 'The previous answer was interrupted; your earlier message is saved but unanswered.'

async function fork(
  { session: from }: AgentSessionRecord,
  agent: Agent,
  local: ResumedLocally,
): Promise<ResumedTalk> {
  const { sessions, store } = local
  const session = await sessions.fork(from.id, { ownerId: LOCAL_PERSON, agent })
  const messages = await store.readTail(session.id, TAIL)
  const hasNotes = messages.some(({ marker }) => marker?.kind === 'rolled_back')
  const notes = hasNotes ? '; the model sees a note for each unanswered message' : ''
  const notice = `This is a new session, ${session.id}, with the same past as ${from.id}${notes}.`
  const note = joinNotes(notice, local.folder)
  const conversation = createConversation(sessions, {
    session: async () => session,
    sessionId: session.id,
    after: 0,
  })
  return {
    ...createTalk(session, { ...local, conversation, agent }),
    history: listPrompts(messages),
    greet: async (display, files) =>
      renderHeader({ agent, place: describePlace(session, local), files }, display) +
      renderLastTurns(
        { session, agent: toDisplayedAgent(agent), messages, note },
        await loadMarkdown(display, messages),
      ),
    aside: note,
  }
}

function refuseContradiction({ continue: isRetry, agent, model, message, file }: ResumeOptions): void {
  if (!isRetry) return
  if (message !== undefined || file.length > 0) {
    throw new PlatformError('validation', {
      message: '--continue retries the last message; --message and --file send a new one.',
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
