import { PlatformError, type SessionMessage } from '@parley/contracts'
import { reconstructSessionState, type SessionRecord } from '@parley/engine'
import { z } from 'zod'
import { loadModels, openLocalSessions } from '../compose.ts'
import { readConfig } from '../config.ts'
import { splitFiles } from '../message/context-files.ts'
import { renderHeader } from '../render/header.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { renderTurns } from '../render/transcript.ts'
import { findSession } from '../session/find-session.ts'
import { shortId } from '../session/short-id.ts'
import { createConversation } from '../talk/conversation.ts'
import { runConversation } from '../talk/run-conversation.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ResumeOptions = z.object({
  file: z.array(z.string()).default([]),
  message: z.string().optional(),
})

/** How many turns are shown again, and how many messages are looked through for them. */
const TURNS_SHOWN = 3
const TAIL = 200
const MOST_LINES = 20

/** Goes on with an earlier conversation, with the agent that it was started with. */
export async function resume({ io, json, options, positionals }: CommandCall) {
  const config = readConfig(io.environment)
  const given = parseOptions(ResumeOptions, options)
  return runConversation({ io, json, config, ...given }, async (store) => {
    const record = await findSession(store, positionals[0])
    const { session, lastSequence } = record
    if (session.status === 'ended') throw new PlatformError('session_ended', { sessionId: session.id })
    const models = await loadModels()
    models.modelOf(session.agentSnapshot)
    const sessions = await openLocalSessions(store, models)
    const messages = await store.readTail(session.id, TAIL)
    return {
      conversation: createConversation(sessions, { session: async () => session, after: lastSequence }),
      history: messages.flatMap(questionOf),
      greet: (look, files) =>
        renderHeader(session.agentSnapshot, files, look) + lastTurns(record, messages, look),
    }
  })
}

function questionOf({ role, content }: SessionMessage): readonly string[] {
  if (role !== 'user') return []
  const { text } = splitFiles(content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'))
  return text === '' ? [] : [text]
}

function lastTurns(record: SessionRecord, messages: readonly SessionMessage[], look: ScreenLook): string {
  const { session, runningTurnId } = record
  const shown = reconstructSessionState(messages).slice(-TURNS_SHOWN)
  const before = session.messageCount - shown.flatMap((turn) => turn.messages).length
  const earlier =
    before > 0
      ? `${look.style.dim(`[${before} earlier messages: parley sessions show ${shortId(session.id)}]`)}\n\n`
      : ''
  const turns = renderTurns(shown, {
    agent: session.agentSnapshot.name ?? session.agentSnapshot.id,
    style: look.style,
    columns: look.isTerminal ? look.columns : undefined,
    mostLines: MOST_LINES,
    running: runningTurnId !== undefined,
  })
  return `${earlier}${turns}\n`
}
