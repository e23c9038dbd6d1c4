import { join } from 'node:path'
import { z } from 'zod'
import { FsScopeTier, PlatformError } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import type { History } from '@parley/history'
import { createAgentSearch, findAgent } from '../agent/find-agent.ts'
import { findMcpServerProblems } from '../agent/unknown-references.ts'
import { loadChatSetup, LOCAL_PERSON, openLocalSessions, requireModel } from '../compose.ts'
import { OWN_FILE } from '../config/load-settings.ts'
import { readEarlierPrompts } from '../prompt/earlier-prompts.ts'
import { notify } from '../render/output.ts'
import { renderHeader } from '../render/session-lines.ts'
import { SessionTitle } from '../session/find-session.ts'
import { takeFirstRunHint } from '../session/notes.ts'
import {
  createModelAgent,
  toPlainSettings,
  parseModel,
  parseTools,
  listToolNotices,
  listUsableTools,
  changeModel,
} from '../session/session-agent.ts'
import { detectContext, parseVariables } from '../session/session-variables.ts'
import { createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createChat } from '../chat/chat.ts'
import type { OpenChat } from '../chat/chat-at-prompt.ts'
import { runChat } from '../chat/run-chat.ts'
import { type CommandCall, parseOptions } from './command.ts'

const ChatOptions = z.object({
  agent: z.string().optional(),
  file: z.array(z.string()).default([]),
  message: z.string().optional(),
  fsScope: FsScopeTier.optional(),
  model: z.string().optional(),
  title: SessionTitle.optional(),
  tools: z.string().optional(),
  var: z.array(z.string()).default([]),
})

export async function startChat(call: CommandCall) {
  const { io, json, options } = call
  if (options['reflection'] !== undefined) {
    return (await import('./chat-reflection.ts')).chatWithReflection(call)
  }
  refuseWithoutReflection(options)
  const { environment } = call
  const {
    agent: agentRef,
    model,
    title,
    tools: toolList,
    fsScope,
    var: assignments,
    ...input
  } = parseOptions(ChatOptions, options)
  const setup = await loadChatSetup(call)
  const { settings, providers, models, limits } = setup
  const variables = parseVariables(assignments, providers)
  const find = (ref: string) => findAgent(ref, createAgentSearch(call))
  const reference = model === undefined ? undefined : parseModel(model, providers)
  const plain = createModelAgent(reference ?? settings.chat.default_model, toPlainSettings(settings))
  const named = agentRef === undefined ? plain : await find(agentRef)
  const whole = reference === undefined ? named : changeModel(named, reference, toPlainSettings(settings))
  const requestedTools = parseTools(toolList)
  const agent = narrowTools(whole, requestedTools)
  const isDefault = agentRef === undefined && model === undefined
  const source = isDefault ? settings.sources['chat.default_model'] : undefined
  requireModel(
    agent,
    models,
    source && `default_model is set in ${source}: change it there, or use --model PROVIDER/MODEL.`,
  )
  const ownFile = join(environment.home, OWN_FILE)
  for (const notice of [
    ...listToolNotices({ agent: whole, requested: requestedTools, settings, ownFile }),
    ...findMcpServerProblems(agent, { ...settings, ownFile }).map(
      ({ message }) => `The agent "${agent.id}" cannot use everything it names: ${message}.`,
    ),
  ])
    notify(io, notice)
  const isOffline = isDefault && agent.provider === 'offline'
  const hint = async () => (isOffline ? takeFirstRunHint(environment.home, providers) : undefined)

  const access = { workingDir: process.cwd(), fsScope: fsScope ?? settings.chat.fs_scope }

  const open = async (history: History): Promise<OpenChat> => {
    const { store } = history
    const { sessions, close } = await openLocalSessions(history, { environment, models, providers, limits })
    const openSession = async (firstMessage?: string) =>
      sessions.start({
        ownerId: LOCAL_PERSON,
        channel: 'text',
        agent: local.agent(),
        context: await detectContext(access.workingDir, {
          fsScopeTier: access.fsScope,
          ...(assignments.length > 0 && { variables }),
        }),
        ...(title !== undefined && { title }),
        ...(firstMessage !== undefined && { firstMessage }),
      })
    const chat = createChat(sessions, { openSession, after: 0 })
    const local = createLocalSlashHost({
      ...setup,
      sessions,
      store,
      chat,
      agent,
      findAgent: find,
      ...access,
    })
    return {
      ...local,
      chat,
      close,
      history: [],
      earlier: () => readEarlierPrompts(store, () => chat.sessionId),
      hint,
      greet: async (display, files) => {
        const tools = listUsableTools(agent, settings)
        return renderHeader({ agent, access: { ...access, tools }, files, hint: await hint() }, display)
      },
    }
  }
  return runChat(
    { io, json, environment, ...input },
    async (openHistory) => async () => open(await openHistory()),
  )
}

function refuseWithoutReflection(options: CommandCall['options']): void {
  const flag = options['interview'] ? '--interview' : options['offRecord'] ? '--off-record' : undefined
  if (flag === undefined) return
  throw new PlatformError('validation', {
    message: `${flag} needs --reflection.`,
    fix: 'Add --reflection NAME.',
  })
}
