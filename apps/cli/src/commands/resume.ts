import { type Agent, PlatformError, type SessionMessage } from '@parley/contracts'
import type { SessionRecord, Sessions, SessionStore } from '@parley/engine'
import { z } from 'zod'
import { findAgent } from '../agent/find-agent.ts'
import { loadModels, LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import { readConfig } from '../config.ts'
import { splitFiles } from '../message/context-files.ts'
import { renderHeader } from '../render/header.ts'
import { renderLastTurns } from '../render/last-turns.ts'
import { findSession } from '../session/find-session.ts'
import { resumeNote } from '../session/resume-note.ts'
import { waitingCall } from '../session/waiting-call.ts'
import { createConversation } from '../talk/conversation.ts'
import { type Opened, runConversation } from '../talk/run-conversation.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ResumeOptions = z.object({
  agent: z.string().optional(),
  continue: z.boolean().default(false),
  file: z.array(z.string()).default([]),
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
  const agent = given.agent === undefined ? undefined : await findAgent(given.agent)

  return runConversation({ io, json, config, ...given }, async (store) => {
    const record = await findSession(store, positionals[0])
    const models = await loadModels()
    models.modelOf(agent ?? record.session.agentSnapshot)
    const sessions = await openLocalSessions(store, models)
    return agent ? fork(record, agent, { sessions, store }) : goOn(record, given, { sessions, store })
  })
}

interface Local {
  readonly sessions: Sessions
  readonly store: SessionStore
}

async function goOn(found: SessionRecord, given: ResumeOptions, { sessions, store }: Local): Promise<Opened> {
  const { id: sessionId, status, agentSnapshot } = found.session
  if (status === 'ended') throw new PlatformError('session_ended', { sessionId })
  await sessions.settle(sessionId)
  const record = (await store.find(sessionId)) ?? found
  const { session, lastSequence } = record
  const messages = await store.readTail(sessionId, TAIL)
  const last = given.continue
    ? { open: 'running' as const }
    : { open: found.openTurn?.state, note: resumeNote(found, messages) }
  return {
    conversation: createConversation(sessions, { session: async () => session, after: lastSequence }),
    history: messages.flatMap(questionOf),
    greet: (look, files) =>
      renderHeader(agentSnapshot, files, look) + renderLastTurns({ session, messages, ...last }, look),
    aside: found.openTurn?.state === 'interrupted' && !given.continue ? STILL_KEPT : undefined,
    waiting: await waitingCall(record, store),
  }
}

const STILL_KEPT = 'The answer before this one was interrupted; your message from then is kept, unanswered.'

async function fork(
  { session: from }: SessionRecord,
  agent: Agent,
  { sessions, store }: Local,
): Promise<Opened> {
  const session = await sessions.fork(from.id, { ownerId: LOCAL_PERSON, agent })
  const messages = await store.readTail(session.id, TAIL)
  const leftBehind = session.messageCount < from.messageCount ? '; what has no answer stays there' : ''
  const note = `This is a new session, ${session.id}, with the same past as ${from.id}${leftBehind}.`
  return {
    conversation: createConversation(sessions, { session: async () => session, after: 0 }),
    history: messages.flatMap(questionOf),
    greet: (look, files) =>
      renderHeader(agent, files, look) + renderLastTurns({ session, messages, note }, look),
    aside: note,
  }
}

function questionOf({ role, content }: SessionMessage): readonly string[] {
  if (role !== 'user') return []
  const { text } = splitFiles(content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'))
  return text === '' ? [] : [text]
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
