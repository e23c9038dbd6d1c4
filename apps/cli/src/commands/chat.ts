import { z } from 'zod'
import { findAgent, OFFLINE_AGENT, searchFrom } from '../agent/find-agent.ts'
import { loadModels, LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import { readConfig } from '../config.ts'
import { earlierPrompts } from '../prompt/earlier-prompts.ts'
import { renderHeader } from '../render/header.ts'
import { detectContext } from '../session/detect-context.ts'
import { SessionTitle } from '../session/session-title.ts'
import { createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createConversation } from '../talk/conversation.ts'
import { runConversation } from '../talk/run-conversation.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ChatOptions = z.object({
  agent: z.string().optional(),
  file: z.array(z.string()).default([]),
  message: z.string().optional(),
  title: SessionTitle.optional(),
})

/** Starts a conversation and talks in it. */
export async function chat({ io, json, options }: CommandCall) {
  const config = readConfig(io.environment)
  const { agent: named, title, ...given } = parseOptions(ChatOptions, options)
  const find = (name: string) => findAgent(name, searchFrom(config, io))
  const agent = named === undefined ? OFFLINE_AGENT : await find(named)
  const models = await loadModels()
  models.modelOf(agent)

  return runConversation({ io, json, config, ...given }, async (store) => {
    const sessions = await openLocalSessions(store, models)
    const session = async () =>
      sessions.start({
        ownerId: LOCAL_PERSON,
        channel: 'text',
        agent,
        context: await detectContext(process.cwd()),
        ...(title !== undefined && { title }),
      })
    const conversation = createConversation(sessions, { session, after: 0 })
    return {
      conversation,
      history: [],
      earlier: () => earlierPrompts(store, () => conversation.sessionId),
      ...createLocalSlashHost({
        sessions,
        store,
        conversation,
        agent,
        findAgent: find,
        workingDir: process.cwd(),
      }),
      greet: (look, files) => renderHeader(agent, files, look),
    }
  })
}
