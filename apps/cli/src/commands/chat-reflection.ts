import type { ApiClient } from '@parley/api-client'
import { PlatformError, type Reflection } from '@parley/contracts'
import { z } from 'zod'
import type { ExitCode } from '../exit-code.ts'
import { givenText, promptless } from '../message/given-text.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { inLine } from '../render/in-line.ts'
import { SessionTitle } from '../session/session-title.ts'
import { type Conversation, createConversation } from '../talk/conversation.ts'
import { sessionsAt } from '../talk/sessions-at.ts'
import { openedAtServer } from '../talk/opened-at-server.ts'
import { converse, sayAlone } from '../talk/run-conversation.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ReflectionChatOptions = z.object({
  reflection: z.string(),
  interview: z.boolean().default(false),
  offRecord: z.boolean().default(false),
  message: z.string().optional(),
  title: SessionTitle.optional(),
})
type ReflectionChat = z.infer<typeof ReflectionChatOptions>

/** Types with a reflection of the Parley that runs. The session ends with the talk, and is then learned from or forgotten. */
export async function chatWithReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  refuseOthers(call.options)
  const asked = parseOptions(ReflectionChatOptions, call.options)
  const server = await atServer(call)
  const reflection = await findReflection(server.client, asked.reflection, server.config)
  const conversation = conversationWith(reflection, asked, server.client)
  const given = await givenText(asked.message, io)
  if (given.kind === 'prompt' && json) throw promptless()
  try {
    const opened = openedAtServer(conversation, server.client, {
      agent: reflection.displayName,
      greet: () => greetingOf(reflection, asked),
      afterwards: 'ended',
    })
    const move = given.kind === 'prompt' ? undefined : sayAlone(given.text)
    return await converse(opened, { io, json, config: server.config, file: [] }, { move, files: [] })
  } finally {
    if (conversation.sessionId) await server.client.sessions.end(conversation.sessionId)
  }
}

function conversationWith(
  { id: reflectionId }: Reflection,
  { interview, offRecord, title }: ReflectionChat,
  client: ApiClient,
): Conversation {
  const opening = {
    reflectionId,
    ...(interview && { agentType: 'interviewer' as const }),
    ...(offRecord && { offRecord }),
    ...(title !== undefined && { title }),
  }
  const session = async () => ({ id: (await client.sessions.start(opening)).sessionId })
  return createConversation(sessionsAt(client), { session, after: 0 })
}

const greetingOf = ({ displayName }: Reflection, { interview, offRecord }: ReflectionChat): string => {
  const how = interview ? 'An interview for' : 'A talk with'
  const kept = offRecord ? ', off the record' : ''
  return `${how} the reflection of ${inLine(displayName)}${kept}. /quit or Ctrl-D leaves.\n`
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
    message: `A reflection speaks with its own agent, on the server: ${flag} is not for it.`,
    mend: `Leave out ${flag}, or leave out --reflection.`,
  })
}
