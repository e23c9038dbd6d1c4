import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import { PlatformError, type Reflection, type SessionId, type StartSession } from '@parley/contracts'
import type { ExitCode } from '../exit-code.ts'
import { connectToServer } from '../reflection/server-connection.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { printMessage } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { toInlineText, wrapWords } from '../render/text.ts'
import { SessionTitle, shortenId } from '../session/find-session.ts'
import { openServerChat, createServerSessions } from '../session/server-session.ts'
import { createChat } from '../chat/chat.ts'
import { createNoPromptError, readMessage, runOpenChat, toSayAction } from '../chat/run-chat.ts'
import { type CommandCall, parseOptions } from './command.ts'

const ReflectionChatOptions = z.object({
  reflection: z.string(),
  interview: z.boolean().default(false),
  offRecord: z.boolean().default(false),
  message: z.string().optional(),
  title: SessionTitle.optional(),
})
type ReflectionChat = z.infer<typeof ReflectionChatOptions>

/** A chat with a reflection on the running server. Leaving ends the session. */
export async function chatWithReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  refuseAgentOptions(call.options)
  const options = parseOptions(ReflectionChatOptions, call.options)
  const { client } = await connectToServer(call)
  const reflection = await findReflection(client, options.reflection, call.environment)
  const input = await readMessage(options.message, io)
  if (input.kind === 'prompt' && json) throw createNoPromptError()
  const start = () => client.sessions.start(toStartRequest(reflection, options))
  // The greeting needs a session.
  const started = input.kind === 'prompt' ? await start() : undefined
  const chat = createChat(createServerSessions(client), {
    openSession: async () => ({ id: (started ?? (await start())).sessionId }),
    ...(started && { sessionId: started.sessionId }),
    after: 0,
  })
  try {
    const opened = openServerChat(chat, client, {
      agent: reflection.displayName,
      greet: (display) =>
        formatGreeting(reflection, options) + formatFirstMessage(started?.firstMessage, display),
      endsOnQuit: true,
      leaving: LEAVING[toChatKind(options)],
    })
    const action = input.kind === 'prompt' ? undefined : toSayAction(input.text)
    return await runOpenChat(
      opened,
      { io, json, environment: call.environment, file: [] },
      { action, files: [] },
    )
  } finally {
    const outcome = chat.sessionId && (await endSession(chat.sessionId, reflection, client))
    if (outcome && input.kind === 'prompt') printMessage(io.stdout, outcome)
  }
}

const toStartRequest = (
  { id: reflectionId }: Reflection,
  { interview, offRecord, title }: ReflectionChat,
): Partial<StartSession> => ({
  reflectionId,
  ...(interview && { agentType: 'interviewer' as const }),
  ...(offRecord && { offRecord }),
  ...(title !== undefined && { title }),
})

const formatGreeting = ({ displayName }: Reflection, { interview, offRecord }: ReflectionChat): string => {
  const kind = interview ? 'An interview with' : 'A conversation with'
  const record = offRecord ? ', off the record' : ''
  return `${kind} the reflection of ${toInlineText(displayName)}${record}. /quit or Ctrl-D quits.\n`
}

function formatFirstMessage(firstMessage: string | undefined, { isTerminal, columns }: Display): string {
  if (firstMessage === undefined || firstMessage === '') return ''
  const line = toInlineText(firstMessage)
  return `\n${isTerminal ? wrapWords(line, columns - 1) : line}\n\n`
}

type ChatKind = 'interview' | 'off-record' | 'talk'

const toChatKind = ({ interview, offRecord }: ReflectionChat): ChatKind => {
  if (interview) return 'interview'
  return offRecord ? 'off-record' : 'talk'
}

const LEAVING: Readonly<Record<ChatKind, string>> = {
  interview: 'the interview ends and is added as a source',
  'off-record': 'the session ends, and nothing is saved',
  talk: 'the session ends',
}

/** Ends a session and reports what happens with it; an empty session is removed. */
async function endSession(
  sessionId: SessionId,
  { displayName, conversationApproval = 'by_person' }: Reflection,
  { sessions }: ApiClient,
): Promise<string | undefined> {
  const { messageCount, reflection } = await sessions.get(sessionId)
  await sessions.end(sessionId)
  if (messageCount === 0) {
    await sessions.remove(sessionId)
    return undefined
  }
  if (reflection?.ingestion === 'off-record') return 'Off the record: nothing is saved.'
  const show = `\`parley sessions show ${shortenId(sessionId)}\` prints the messages.`
  if (reflection?.ingestion !== 'ingest') return `It is saved, and not used for learning. ${show}`
  const facts =
    conversationApproval === 'by_person'
      ? ` New facts from it wait for approval: parley reflections patches "${toInlineText(displayName)}".`
      : ''
  return `It was added as a source.${facts} ${show}`
}

const AGENT_OPTIONS = ['agent', 'model', 'file', 'fsScope', 'tools', 'var'] as const

function refuseAgentOptions(options: Readonly<Record<string, unknown>>): void {
  const named = AGENT_OPTIONS.find((name) => {
    const value = options[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
  if (named === undefined) return
  const flag = `--${named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new PlatformError('validation', {
    message: `A reflection uses its own agent on the server, so ${flag} does not apply.`,
    fix: `Remove ${flag} or --reflection.`,
  })
}
