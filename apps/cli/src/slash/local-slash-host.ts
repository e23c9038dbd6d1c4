import { type Agent, type FsScopeTier, PlatformError, type SessionCosts } from '@parley/contracts'
import type { SessionStore, Sessions } from '@parley/engine'
import { type ChatSetup, LOCAL_PERSON, type Models } from '../compose.ts'
import { type ConfiguredProvider, isUsable, describeKeyState } from '../config/configured-providers.ts'
import { splitModel } from '../config/merge-config.ts'
import { splitFiles } from '../chat/attachments.ts'
import { type Status, sumCosts } from '../render/session-lines.ts'
import { readLastResult } from '../session/read-last-result.ts'
import { toPlainSettings, parseModel, listUsableTools, changeModel } from '../session/session-agent.ts'
import type { Chat, TurnEnd } from '../chat/chat.ts'
import {
  type ForkReport,
  type ModelChoice,
  type ModelInUse,
  type SlashHost,
  requireSessionId,
} from './slash-host.ts'

export interface LocalChat extends Pick<ChatSetup, 'models' | 'providers'> {
  readonly settings: Pick<ChatSetup['settings'], 'chat' | 'mcp_servers' | 'web_search'>
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly chat: Chat
  readonly agent: Agent
  readonly findAgent: (agentRef: string) => Promise<Agent>
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  /** The cost so far. */
  readonly costs?: SessionCosts
  /** The usage of the last turn, if known. */
  readonly usage?: TurnEnd['usage'] | undefined
}

/** The slash commands for a local session. */
export function createLocalSlashHost(talk: LocalChat) {
  const { sessions, store, chat, workingDir, fsScope, models, providers, settings } = talk
  const local: LocalState = { ...talk, costs: talk.costs ?? {}, usage: talk.usage }

  const slash: SlashHost = {
    async context() {
      const session = await findSession(local)
      return {
        sessionId: session?.id,
        title: session?.title,
        agent: getAgentName(local),
        model: local.agent.model,
        workingDir: session?.context.workingDir ?? workingDir,
        fsScope: session?.context.fsScopeTier ?? fsScope,
        tools: listUsableTools(local.agent, settings),
        messages: session?.messageCount ?? 0,
        contextUsed: measureContextUsed(local),
      }
    },
    files: () => listAttachedFiles(local),
    grants: async () => (await findSession(local))?.grants ?? [],
    async lastResult() {
      const { sessionId } = chat
      return sessionId && readLastResult(store, sessionId)
    },
    rename: (title) => sessions.rename(requireSessionId(chat), title),
    fork: async (name) =>
      forkSession(local, name === undefined ? local.agent : await resolveAgent(local, name)),
    async cancel() {
      const { sessionId } = chat
      return sessionId !== undefined && sessions.cancel(sessionId)
    },
    models: () => listChoices(providers, models, getModelName(local)),
    useModel: (name) => useModel(local, name),
    cost: async () => (await findSession(local))?.costs ?? {},
    async compact() {
      const report = await sessions.compact(requireSessionId(chat))
      local.usage = undefined
      await updateCosts(local)
      return report
    },
    async trim(keep) {
      const report = await sessions.trim(requireSessionId(chat), keep)
      local.usage = undefined
      return report
    },
    async export(path) {
      const sessionId = requireSessionId(chat)
      const { exportToNewFile } = await import('../commands/export-session.ts')
      const written = await exportToNewFile(sessions, sessionId, { workingDir, path })
      await sessions.recordExport(sessionId)
      return written
    },
  }

  return {
    slash,
    agent: () => local.agent,
    status: (): Status => ({
      agent: getAgentName(local),
      model: local.agent.model,
      provider: local.agent.provider,
      contextUsed: measureContextUsed(local),
      ...(Object.keys(local.costs).length > 0 && sumCosts(local.costs)),
    }),
    onTurnEnd: async (end: TurnEnd) => {
      local.usage = end.usage
      await updateCosts(local)
    },
  }
}

/** What changes while the user talks. */
interface LocalState extends Omit<LocalChat, 'agent' | 'costs' | 'usage'> {
  agent: Agent
  costs: SessionCosts
  usage: LocalChat['usage']
}

const getAgentName = ({ agent }: LocalState): string => agent.name ?? agent.id

const getModelName = ({ agent }: LocalState): string => `${agent.provider}/${agent.model}`

const findSession = async ({ chat, store }: LocalState) =>
  chat.sessionId === undefined ? undefined : (await store.find(chat.sessionId))?.session

async function updateCosts(local: LocalState): Promise<void> {
  local.costs = (await findSession(local))?.costs ?? {}
}

function measureContextUsed({ agent, models, usage }: LocalState): number | undefined {
  const { contextWindow } = models.getModel(agent)
  if (usage === undefined || contextWindow === undefined) return undefined
  return Math.min(1, (usage.inputTokens + usage.outputTokens) / contextWindow)
}

/** How many messages to search for attached files. */
const TAIL = 500

async function listAttachedFiles({ chat, store }: LocalState): Promise<readonly string[]> {
  const { sessionId } = chat
  const messages = sessionId === undefined ? [] : await store.readTail(sessionId, TAIL)
  const paths = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content)
    .flatMap((part) => {
      if (part.type === 'text') return splitFiles(part.text).files.map(({ path }) => path)
      return part.type === 'media' ? [part.name ?? part.mediaType] : []
    })
  return [...new Set(paths)]
}

/** The agent of this name, or the current one with the model of this name. */
async function resolveAgent(local: LocalState, name: string): Promise<Agent> {
  const isModel =
    name.includes('/') && local.providers.some((provider) => provider.name === splitModel(name).provider)
  return isModel ? chooseModel(local, name) : local.findAgent(name)
}

const chooseModel = ({ agent, providers, settings }: LocalState, name: string): Agent =>
  changeModel(agent, parseModel(name, providers), toPlainSettings(settings))

async function useModel(local: LocalState, name: string): Promise<ModelInUse> {
  const next = chooseModel(local, name)
  // Throws if the model is not available.
  local.models.getModel(next)
  const sessionId = local.chat.sessionId && (await forkSession(local, next)).sessionId
  switchAgent(local, next)
  return { name: getModelName(local), sessionId }
}

async function forkSession(local: LocalState, agent: Agent): Promise<ForkReport> {
  const { chat, sessions } = local
  const from = requireSessionId(chat)
  const session = await sessions.fork(from, { ownerId: LOCAL_PERSON, agent })
  chat.switchTo(session.id)
  switchAgent(local, agent)
  return { sessionId: session.id, from, agent: getAgentName(local), model: agent.model }
}

function switchAgent(local: LocalState, agent: Agent): void {
  local.agent = agent
  local.costs = {}
  local.usage = undefined
}

/** The maximum wait at a prompt. */
const TIMEOUT_MS = 5_000
const MAX_PER_PROVIDER = 30

/** The available models: those the providers list, and those in the config. */
export async function listChoices(
  providers: readonly ConfiguredProvider[],
  models: Pick<Models, 'listModels'>,
  inUse: string,
): Promise<readonly ModelChoice[]> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const listed = await Promise.all(
    providers.map((provider) => listProviderChoices(provider, models, inUse, signal)),
  )
  const choices = listed.flat()
  return choices.some((choice) => choice.inUse) ? choices : [{ name: inUse, inUse: true }, ...choices]
}

async function listProviderChoices(
  provider: ConfiguredProvider,
  { listModels }: Pick<Models, 'listModels'>,
  inUse: string,
  signal: AbortSignal,
): Promise<readonly ModelChoice[]> {
  const { name } = provider
  if (!isUsable(provider)) return [{ name, inUse: false, note: describeKeyState(provider) }]
  const known = Object.keys(provider.models ?? {})
  const toChoice = (id: string): ModelChoice => ({ name: `${name}/${id}`, inUse: `${name}/${id}` === inUse })
  try {
    const listed = (await listModels(name, signal)).map(({ id }) => id)
    const all = [...new Set([...known, ...listed])]
    const shown = all.filter((id, index) => index < MAX_PER_PROVIDER || `${name}/${id}` === inUse)
    const left = all.length - shown.length
    const more = {
      name,
      inUse: false,
      note: `and ${left} more; \`parley providers models ${name}\` lists them`,
    }
    return [...shown.map(toChoice), ...(left > 0 ? [more] : [])]
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return [...known.map(toChoice), { name, inUse: false, note: failure.message }]
  }
}
