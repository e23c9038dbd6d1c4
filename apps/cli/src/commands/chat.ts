import type { Agent } from '@parley/contracts'
import { z } from 'zod'
import { loadModels, LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import { readConfig } from '../config.ts'
import { renderHeader } from '../render/header.ts'
import { detectContext } from '../session/detect-context.ts'
import { createConversation } from '../talk/conversation.ts'
import { runConversation } from '../talk/run-conversation.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ChatOptions = z.object({
  agent: z.string().optional(),
  file: z.array(z.string()).default([]),
  message: z.string().optional(),
  title: z.string().min(1, 'must not be empty').max(200, 'has at most 200 characters').optional(),
})

const OFFLINE_AGENT: Agent = {
  id: 'offline',
  name: 'Offline',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}

/** Starts a conversation and talks in it. */
export async function chat({ io, json, options }: CommandCall) {
  const config = readConfig(io.environment)
  const { agent: agentFile, title, ...given } = parseOptions(ChatOptions, options)
  const agent = agentFile === undefined ? OFFLINE_AGENT : await agentIn(agentFile)
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
    return {
      conversation: createConversation(sessions, { session, after: 0 }),
      history: [],
      greet: (look, files) => renderHeader(agent, files, look),
    }
  })
}

/** Most conversations need no YAML. */
async function agentIn(file: string): Promise<Agent> {
  const { readAgentFile } = await import('../agent/read-agent-file.ts')
  return readAgentFile(file)
}
