import { z } from 'zod'
import { type Agent, type AgentSession, PlatformError } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore, Sessions } from '@parley/engine'
import type { History } from '@parley/history'
import { findAgent, searchFrom } from '../agent/find-agent.ts'
import { LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import { type Settings, loadSettings } from '../config/load-settings.ts'
import { earlierPrompts, promptsIn } from '../prompt/earlier-prompts.ts'
import { withCodeColours, screenOf } from '../render/screen-look.ts'
import { renderHeader } from '../render/session-lines.ts'
import { renderLastTurns } from '../render/transcript.ts'
import { type FoundSession, findLocalOrServerSession, shortId } from '../session/find-session.ts'
import { folderNote, lastUsage, resumeNote, waitingCall } from '../session/notes.ts'
import {
  type Setup,
  loadSetup,
  plainModelSettings,
  readModel,
  usableTools,
  withModel,
} from '../session/session-setup.ts'
import { type LocalTalk, createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createConversation } from '../talk/conversation.ts'
import { type Opened, runConversation } from '../talk/run-conversation.ts'
import { type CommandCall, parseOptions } from './command.ts'

/** How many messages are read to find the ones to show again. */
const TAIL = 200

/** Resumes a session, or copies it into a new one with another agent. */
export async function resume(call: CommandCall) {
  const { io, json, options, positionals } = call
  const config = readConfig(io.environment)
  const given = parseOptions(ResumeOptions, options)
  refuseContradiction(given)
  const find = (agentRef: string) => findAgent(agentRef, searchFrom(config, io))
  const setup = await loadSetup(config, io)
  const agent = given.agent === undefined ? undefined : await find(given.agent)
  const model = given.model === undefined ? undefined : readModel(given.model, setup.providers)

  const isAsked = given.message === undefined && !given.continue && !given.latest && !json
  const canPick = isAsked && config.escapes && io.stdin.isTTY && io.stdout.isTTY
  const chosenSession = async (store: SessionStore, id: string | undefined): Promise<FoundSession> => {
    if (id !== undefined || !canPick) return findLocalOrServerSession(store, id, call)
    const { pickSession } = await import('../session/pick-session.ts')
    const { style } = screenOf(io.stdout, config)
    const picked = await pickSession(store, { input: io.stdin, output: io.stdout }, style)
    return picked ? { kind: 'here', record: picked } : findLocalOrServerSession(store, undefined, call)
  }

  let found: Promise<FoundSession> | undefined
  const choose = ({ store }: History) => (found ??= chosenSession(store, positionals[0]))
  const open = async (history: History): Promise<Opened> => {
    const { store } = history
    const chosen = await choose(history)
    if (chosen.kind === 'there')
      return (await import('../session/server-session.ts')).resumeServerSession(chosen, given)
    const { record } = chosen
    const { session } = record
    const known = agent ?? session.agentSnapshot
    const next = model === undefined ? known : withModel(known, model, plainModelSettings(setup.settings))
    const isFork = agent !== undefined || model !== undefined
    if (isFork) setup.models.modelOf(next)
    else refuseWithoutModel(session, setup)
    const { sessions, close } = await openLocalSessions(history, { config, ...setup })
    const settings = await settingsIn(session.context.workingDir, config, setup)
    const folder = await folderNote({ ...session, agentSnapshot: next }, process.cwd())
    const local = { ...setup, settings, sessions, store, findAgent: find, folder }
    const opened = isFork ? fork(record, next, local) : goOn(record, given, local)
    return { ...(await opened), close }
  }
  return runConversation({ io, json, config, ...given }, open, choose)
}

/** A session keeps its agent; the model of that agent may no longer be available. */
function refuseWithoutModel({ id, agentSnapshot }: AgentSession, { models }: Setup): void {
  try {
    models.modelOf(agentSnapshot)
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    const mend = `Bring it back with \`parley providers add ${agentSnapshot.provider}\` or its key, or use another model in a new session: \`parley resume ${shortId(id)} --model PROVIDER/MODEL\`.`
    throw new PlatformError(failure.code, { ...failure.detail, mend }, { cause: failure })
  }
}

/** The settings for the folder of the session. Errors there matter only to tools. */
const settingsIn = async (workingDir: string, config: Config, { settings }: Setup): Promise<Settings> =>
  workingDir === process.cwd() ? settings : loadSettings(config, { workingDir }).catch(() => settings)

interface Local extends Setup {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly findAgent: (agentRef: string) => Promise<Agent>
  /** A note about the folder of the session. */
  readonly folder: string | undefined
}

type Talk = Omit<Opened, 'close'>

/** Everything a conversation needs besides its messages. */
const besides = ({ context }: AgentSession, talk: Omit<LocalTalk, 'workingDir' | 'fsScope'>) => ({
  conversation: talk.conversation,
  earlier: () => earlierPrompts(talk.store, () => talk.conversation.sessionId),
  ...createLocalSlashHost({ ...talk, workingDir: process.cwd(), fsScope: context.fsScopeTier }),
})

async function goOn(found: AgentSessionRecord, given: ResumeOptions, local: Local): Promise<Talk> {
  const { sessions, store } = local
  const { id: sessionId, agentSnapshot } = found.session
  await sessions.settle(sessionId)
  const record = (await store.find(sessionId)) ?? found
  const { session, lastSequence } = record
  const messages = await store.readTail(sessionId, TAIL)
  const last = given.continue
    ? { open: 'running' as const, note: local.folder }
    : {
        open: found.openTurn?.state,
        note: lines(local.folder, resumeNote({ id: sessionId, openTurn: found.openTurn }, messages)),
      }
  const conversation = createConversation(sessions, {
    session: async () => session,
    sessionId,
    after: lastSequence,
  })
  return {
    ...besides(session, {
      ...local,
      conversation,
      agent: agentSnapshot,
      costs: session.costs,
      usage: await lastUsage(record, store),
    }),
    history: promptsIn(messages),
    greet: async (look, files) =>
      renderHeader({ agent: agentSnapshot, place: placeOf(session, local), files }, look) +
      renderLastTurns(
        { session, agent: named(agentSnapshot), messages, ...last },
        await withCodeColours(look, messages),
      ),
    aside: lines(
      local.folder,
      found.openTurn?.state === 'interrupted' && !given.continue ? STILL_KEPT : undefined,
    ),
    waiting: await waitingCall(record, store),
  }
}

const placeOf = ({ agentSnapshot, context }: AgentSession, { settings }: Local) => ({
  workingDir: context.workingDir,
  fsScope: context.fsScopeTier,
  tools: usableTools(agentSnapshot, settings),
})

const named = ({ name, id, model }: Agent) => ({ name: name ?? id, model })

const lines = (...notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join('\n') || undefined

const STILL_KEPT = 'The previous answer was interrupted; your earlier message is saved but unanswered.'

async function fork({ session: from }: AgentSessionRecord, agent: Agent, local: Local): Promise<Talk> {
  const { sessions, store } = local
  const session = await sessions.fork(from.id, { ownerId: LOCAL_PERSON, agent })
  const messages = await store.readTail(session.id, TAIL)
  const hasNotes = messages.some(({ marker }) => marker?.kind === 'rolled_back')
  const notes = hasNotes ? '; the model sees a note for each unanswered message' : ''
  const made = `This is a new session, ${session.id}, with the same past as ${from.id}${notes}.`
  const note = lines(made, local.folder)
  const conversation = createConversation(sessions, {
    session: async () => session,
    sessionId: session.id,
    after: 0,
  })
  return {
    ...besides(session, { ...local, conversation, agent }),
    history: promptsIn(messages),
    greet: async (look, files) =>
      renderHeader({ agent, place: placeOf(session, local), files }, look) +
      renderLastTurns(
        { session, agent: named(agent), messages, note },
        await withCodeColours(look, messages),
      ),
    aside: note,
  }
}

function refuseContradiction({ continue: goesOn, agent, model, message, file }: ResumeOptions): void {
  if (!goesOn) return
  if (message !== undefined || file.length > 0) {
    throw new PlatformError('validation', {
      message: '--continue retries the last message; --message and --file send a new one.',
      mend: 'Use one or the other.',
    })
  }
  if (agent !== undefined || model !== undefined) {
    const option = agent === undefined ? '--model' : '--agent'
    throw new PlatformError('validation', {
      message: `--continue keeps the agent of the session; ${option} starts a new session with another one.`,
      mend: 'Use one or the other.',
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
