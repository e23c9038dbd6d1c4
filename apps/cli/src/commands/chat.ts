import { join } from 'node:path'
import { z } from 'zod'
import { type Agent, FsScopeTier, PlatformError } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import { findAgent, searchFrom } from '../agent/find-agent.ts'
import { serverFlaws } from '../agent/unknown-references.ts'
import { LOCAL_PERSON, openLocalSessions } from '../compose.ts'
import { readConfig } from '../config.ts'
import { OWN_FILE } from '../config/load-settings.ts'
import { earlierPrompts } from '../prompt/earlier-prompts.ts'
import { tell } from '../render/output.ts'
import { renderHeader } from '../render/session-lines.ts'
import { SessionTitle } from '../session/find-session.ts'
import { firstRunHint } from '../session/notes.ts'
import {
  type Setup,
  loadSetup,
  modelAgent,
  plainModelSettings,
  readModel,
  readTools,
  toolNotices,
  usableTools,
  withModel,
} from '../session/session-setup.ts'
import { detectContext, readVariables } from '../session/session-variables.ts'
import { createLocalSlashHost } from '../slash/local-slash-host.ts'
import { createConversation } from '../talk/conversation.ts'
import { runConversation } from '../talk/run-conversation.ts'
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

/** Starts a session. */
export async function chat(call: CommandCall) {
  const { io, json, options } = call
  if (options['reflection'] !== undefined) {
    return (await import('./chat-reflection.ts')).chatWithReflection(call)
  }
  refuseWithoutReflection(options)
  const config = readConfig(io.environment)
  const {
    agent: agentRef,
    model,
    title,
    tools,
    fsScope,
    var: assigned,
    ...given
  } = parseOptions(ChatOptions, options)
  const setup = await loadSetup(config, io)
  const { settings, providers, models, limits } = setup
  const variables = readVariables(assigned, providers)
  const find = (ref: string) => findAgent(ref, searchFrom(config, io))
  const reference = model === undefined ? undefined : readModel(model, providers)
  const plain = modelAgent(reference ?? settings.chat.default_model, plainModelSettings(settings))
  const found = agentRef === undefined ? plain : await find(agentRef)
  const asked = reference === undefined ? found : withModel(found, reference, plainModelSettings(settings))
  const wanted = readTools(tools)
  const opening = narrowTools(asked, wanted)
  const isByDefault = agentRef === undefined && model === undefined
  refuseWithoutModel(opening, setup, isByDefault)
  const ownFile = join(config.home, OWN_FILE)
  for (const notice of [
    ...toolNotices({ agent: asked, asked: wanted, settings, ownFile }),
    ...serverFlaws(opening, { ...settings, ownFile }).map(
      ({ message }) => `The agent "${opening.id}" cannot use everything it names: ${message}.`,
    ),
  ])
    tell(io.stderr, `parley: ${notice}`)
  const isOffline = isByDefault && opening.provider === 'offline'
  const hint = async () => (isOffline ? firstRunHint(config.home, providers) : undefined)

  const place = { workingDir: process.cwd(), fsScope: fsScope ?? settings.chat.fs_scope }

  return runConversation({ io, json, config, ...given }, async (history) => {
    const { store } = history
    const { sessions, close } = await openLocalSessions(history, { config, models, providers, limits })
    const session = async (firstMessage?: string) =>
      sessions.start({
        ownerId: LOCAL_PERSON,
        channel: 'text',
        agent: local.agent(),
        context: await detectContext(place.workingDir, {
          fsScopeTier: place.fsScope,
          ...(assigned.length > 0 && { variables }),
        }),
        ...(title !== undefined && { title }),
        ...(firstMessage !== undefined && { firstMessage }),
      })
    const conversation = createConversation(sessions, { session, after: 0 })
    const local = createLocalSlashHost({
      ...setup,
      sessions,
      store,
      conversation,
      agent: opening,
      findAgent: find,
      ...place,
    })
    return {
      ...local,
      conversation,
      close,
      history: [],
      earlier: () => earlierPrompts(store, () => conversation.sessionId),
      hint,
      greet: async (look, files) => {
        const inUse = { ...place, tools: usableTools(opening, settings) }
        return renderHeader({ agent: opening, place: inUse, files, hint: await hint() }, look)
      },
    }
  })
}

function refuseWithoutReflection(options: CommandCall['options']): void {
  const flag = options['interview'] ? '--interview' : options['offRecord'] ? '--off-record' : undefined
  if (flag === undefined) return
  throw new PlatformError('validation', {
    message: `${flag} needs --reflection.`,
    mend: 'Add --reflection NAME.',
  })
}

/** Says which setting names the unavailable model. */
function refuseWithoutModel(agent: Agent, { models, settings }: Setup, isByDefault: boolean): void {
  try {
    models.modelOf(agent)
  } catch (failure) {
    const source = settings.sources['chat.default_model']
    if (!(failure instanceof PlatformError) || !isByDefault || source === undefined) throw failure
    const mend = `default_model comes from ${source}: change it there, or name another with --model PROVIDER/MODEL.`
    throw new PlatformError(failure.code, { ...failure.detail, mend }, { cause: failure })
  }
}
