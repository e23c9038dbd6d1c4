import { type Agent, PlatformError } from '@parley/contracts'
import type { SessionRecord, Sessions, SessionStore } from '@parley/engine'
import { z } from 'zod'
import { findAgent, searchFrom } from '../agent/find-agent.ts'
import { loadModels, LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import { readConfig } from '../config.ts'
import { earlierPrompts, promptsIn } from '../prompt/earlier-prompts.ts'
import { renderHeader } from '../render/header.ts'
import { renderLastTurns } from '../render/last-turns.ts'
import { lookFor } from '../render/markdown/load-highlight.ts'
import { screenOf } from '../render/screen-of.ts'
import { findSession } from '../session/find-session.ts'
import { resumeNote } from '../session/resume-note.ts'
import { waitingCall } from '../session/waiting-call.ts'
import { createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createConversation, type Conversation } from '../talk/conversation.ts'
import { type Opened, runConversation } from '../talk/run-conversation.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ResumeOptions = z.object({
  agent: z.string().optional(),
  continue: z.boolean().default(false),
  file: z.array(z.string()).default([]),
  latest: z.boolean().default(false),
  message: z.string().optional(),
})
type ResumeOptions = z.infer<typeof ResumeOptions>

/** How many messages are looked through for what is shown again. */
const TAIL = 200

/** Goes on with an earlier conversation, or starts another one of another agent from there. */
export async function resume({ io, json, options, positionals }: CommandCall) {
  const config = readConfig(io.environment)
  const given = parseOptions(ResumeOptions, options)
  refuseContradiction(given)
  const find = (name: string) => findAgent(name, searchFrom(config, io))
  const agent = given.agent === undefined ? undefined : await find(given.agent)

  const isAsked = given.message === undefined && !given.continue && !given.latest && !json
  const canPick = isAsked && config.escapes && io.stdin.isTTY && io.stdout.isTTY
  const chosenSession = async (store: SessionStore, id: string | undefined) => {
    if (id !== undefined || !canPick) return findSession(store, id)
    const { pickSession } = await import('../session/pick-session.ts')
    const { style } = screenOf(io.stdout, config)
    const picked = await pickSession(store, { input: io.stdin, output: io.stdout }, style)
    return picked ?? findSession(store, undefined)
  }

  return runConversation({ io, json, config, ...given }, async (store) => {
    const record = await chosenSession(store, positionals[0])
    const models = await loadModels()
    models.modelOf(agent ?? record.session.agentSnapshot)
    const sessions = await openLocalSessions(store, models)
    const local = { sessions, store, findAgent: find }
    return agent ? fork(record, agent, local) : goOn(record, given, local)
  })
}

interface Local {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly findAgent: (named: string) => Promise<Agent>
}

/** What a conversation has beside what is said in it. */
const besides = (conversation: Conversation, agent: Agent, local: Local) => ({
  conversation,
  earlier: () => earlierPrompts(local.store, () => conversation.sessionId),
  ...createLocalSlashHost({ ...local, conversation, agent, workingDir: process.cwd() }),
})

async function goOn(found: SessionRecord, given: ResumeOptions, local: Local): Promise<Opened> {
  const { sessions, store } = local
  const { id: sessionId, status, agentSnapshot } = found.session
  if (status === 'ended') throw new PlatformError('session_ended', { sessionId })
  await sessions.settle(sessionId)
  const record = (await store.find(sessionId)) ?? found
  const { session, lastSequence } = record
  const messages = await store.readTail(sessionId, TAIL)
  const last = given.continue
    ? { open: 'running' as const }
    : { open: found.openTurn?.state, note: resumeNote(found, messages) }
  const conversation = createConversation(sessions, {
    session: async () => session,
    sessionId,
    after: lastSequence,
  })
  return {
    ...besides(conversation, agentSnapshot, local),
    history: promptsIn(messages),
    greet: async (look, files) =>
      renderHeader(agentSnapshot, files, look) +
      renderLastTurns({ session, messages, ...last }, await lookFor(look, messages)),
    aside: found.openTurn?.state === 'interrupted' && !given.continue ? STILL_KEPT : undefined,
    waiting: await waitingCall(record, store),
  }
}

const STILL_KEPT = 'The answer before this one was interrupted; your message from then is kept, unanswered.'

async function fork({ session: from }: SessionRecord, agent: Agent, local: Local): Promise<Opened> {
  const { sessions, store } = local
  const session = await sessions.fork(from.id, { ownerId: LOCAL_PERSON, agent })
  const messages = await store.readTail(session.id, TAIL)
  const leftBehind = session.messageCount < from.messageCount ? '; what has no answer stays there' : ''
  const note = `This is a new session, ${session.id}, with the same past as ${from.id}${leftBehind}.`
  const conversation = createConversation(sessions, {
    session: async () => session,
    sessionId: session.id,
    after: 0,
  })
  return {
    ...besides(conversation, agent, local),
    history: promptsIn(messages),
    greet: async (look, files) =>
      renderHeader(agent, files, look) +
      renderLastTurns({ session, messages, note }, await lookFor(look, messages)),
    aside: note,
  }
}

function refuseContradiction({ continue: goesOn, agent, message, file }: ResumeOptions): void {
  if (!goesOn) return
  if (message !== undefined || file.length > 0) {
    throw new PlatformError('validation', {
      message: '--continue goes on with what was said; --message and --file say something new.',
      mend: 'Give the one or the other.',
    })
  }
  if (agent !== undefined) {
    throw new PlatformError('validation', {
      message: '--continue goes on with the agent of the session; --agent starts a new session with another.',
      mend: 'Give the one or the other.',
    })
  }
}
