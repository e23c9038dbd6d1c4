import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import { PlatformError, type Reflection, type SessionId, type StartSession } from '@parley/contracts'
import type { ExitCode } from '../exit-code.ts'
import { givenText, promptless } from '../message/read-message.ts'
import { connectToServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { tell } from '../render/output.ts'
import type { ScreenLook } from '../render/screen-look.ts'
import { toInlineText, wrapWords } from '../render/text.ts'
import { SessionTitle, shortId } from '../session/find-session.ts'
import { openServerConversation, createServerSessions } from '../session/server-session.ts'
import { createConversation } from '../talk/conversation.ts'
import { converse, sayAlone } from '../talk/run-conversation.ts'
import { type CommandCall, parseOptions } from './command.ts'

const ReflectionChatOptions = z.object({
  reflection: z.string(),
  interview: z.boolean().default(false),
  offRecord: z.boolean().default(false),
  message: z.string().optional(),
  title: SessionTitle.optional(),
})
type ReflectionChat = z.infer<typeof ReflectionChatOptions>

/** A typed conversation with a reflection on the running server. Leaving ends the session. */
export async function chatWithReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  refuseOthers(call.options)
  const asked = parseOptions(ReflectionChatOptions, call.options)
  const server = await connectToServer(call)
  const { client, config } = server
  const reflection = await findReflection(client, asked.reflection, config)
  const given = await givenText(asked.message, io)
  if (given.kind === 'prompt' && json) throw promptless()
  const start = () => client.sessions.start(openingOf(reflection, asked))
  // The greeting needs a session.
  const requireSessionId = given.kind === 'prompt' ? await start() : undefined
  const conversation = createConversation(createServerSessions(client), {
    session: async () => ({ id: (requireSessionId ?? (await start())).sessionId }),
    ...(requireSessionId && { sessionId: requireSessionId.sessionId }),
    after: 0,
  })
  try {
    const opened = openServerConversation(conversation, client, {
      agent: reflection.displayName,
      greet: (look) => greetingOf(reflection, asked) + spoken(requireSessionId?.firstMessage, look),
      afterwards: 'ended',
      leaving: LEAVING[kindOf(asked)],
    })
    const move = given.kind === 'prompt' ? undefined : sayAlone(given.text)
    return await converse(opened, { io, json, config, file: [] }, { move, files: [] })
  } finally {
    const told = conversation.sessionId && (await endTalk(conversation.sessionId, reflection, client))
    if (told && given.kind === 'prompt') tell(io.stdout, told)
  }
}

const openingOf = (
  { id: reflectionId }: Reflection,
  { interview, offRecord, title }: ReflectionChat,
): Partial<StartSession> => ({
  reflectionId,
  ...(interview && { agentType: 'interviewer' as const }),
  ...(offRecord && { offRecord }),
  ...(title !== undefined && { title }),
})

const greetingOf = ({ displayName }: Reflection, { interview, offRecord }: ReflectionChat): string => {
  const how = interview ? 'An interview with' : 'A conversation with'
  const kept = offRecord ? ', off the record' : ''
  return `${how} the reflection of ${toInlineText(displayName)}${kept}. /quit or Ctrl-D leaves.\n`
}

function spoken(firstMessage: string | undefined, { isTerminal, columns }: ScreenLook): string {
  if (firstMessage === undefined || firstMessage === '') return ''
  const line = toInlineText(firstMessage)
  return `\n${isTerminal ? wrapWords(line, columns - 1) : line}\n\n`
}

type Kind = 'interview' | 'off-record' | 'talk'

const kindOf = ({ interview, offRecord }: ReflectionChat): Kind => {
  if (interview) return 'interview'
  return offRecord ? 'off-record' : 'talk'
}

const LEAVING: Readonly<Record<Kind, string>> = {
  interview: 'the interview ends and is added as a source',
  'off-record': 'the session ends, and nothing is saved',
  talk: 'the session ends',
}

/** Ends a session and reports what happens with it; an empty session is removed. */
async function endTalk(
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
  const kept = `\`parley sessions show ${shortId(sessionId)}\` prints the messages.`
  if (reflection?.ingestion !== 'ingest') return `It is saved, and not used for learning. ${kept}`
  const facts =
    conversationApproval === 'by_person'
      ? ` New facts from it wait for approval: parley reflections patches "${toInlineText(displayName)}".`
      : ''
  return `It was added as a source.${facts} ${kept}`
}

const OF_AGENTS = ['agent', 'model', 'file', 'fsScope', 'tools', 'var'] as const

function refuseOthers(options: Readonly<Record<string, unknown>>): void {
  const named = OF_AGENTS.find((name) => {
    const given = options[name]
    return Array.isArray(given) ? given.length > 0 : given !== undefined
  })
  if (named === undefined) return
  const flag = `--${named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new PlatformError('validation', {
    message: `A reflection uses its own agent on the server, so ${flag} does not apply.`,
    mend: `Remove ${flag} or --reflection.`,
  })
}
