import { type Agent, type FsScopeTier, PlatformError, type SessionCosts } from '@parley/contracts'
import type { SessionStore, Sessions } from '@parley/engine'
import { LOCAL_PERSON, type Models } from '../compose.ts'
import { type ConfiguredProvider, isUsable, providerState } from '../config/configured-providers.ts'
import { splitModel } from '../config/merge-config.ts'
import { splitFiles } from '../message/attached-files.ts'
import { type Status, totalCost } from '../render/session-lines.ts'
import { readLastResult } from '../session/read-last-result.ts'
import {
  type Setup,
  plainModelSettings,
  readModel,
  usableTools,
  withModel,
} from '../session/session-setup.ts'
import type { Conversation, TurnEnd } from '../talk/conversation.ts'
import { type ModelChoice, type SlashHost, requireSessionId } from './slash-host.ts'

export interface LocalTalk extends Pick<Setup, 'models' | 'providers'> {
  readonly settings: Pick<Setup['settings'], 'chat' | 'mcp_servers' | 'web_search'>
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly conversation: Conversation
  readonly agent: Agent
  readonly findAgent: (agentRef: string) => Promise<Agent>
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  /** The cost so far. */
  readonly costs?: SessionCosts
  /** The usage of the last turn, if known. */
  readonly usage?: TurnEnd['usage'] | undefined
}

export interface LocalSlashHost {
  readonly slash: SlashHost
  readonly status: () => Status
  readonly agent: () => Agent
  readonly onTurnEnd: (end: TurnEnd) => Promise<void>
}

/** How many messages to search for attached files. */
const TAIL = 500

/** The slash commands for a local session. */
export function createLocalSlashHost(local: LocalTalk): LocalSlashHost {
  const { sessions, store, conversation, findAgent, workingDir, fsScope, models, providers, settings } = local
  let { agent, costs = {}, usage } = local
  const agentName = () => agent.name ?? agent.id
  const modelName = () => `${agent.provider}/${agent.model}`
  const findRecord = async () =>
    conversation.sessionId === undefined ? undefined : store.find(conversation.sessionId)

  const readCosts = async () => {
    costs = (await findRecord())?.session.costs ?? {}
  }

  const contextUsed = () => {
    const { contextWindow } = models.modelOf(agent)
    if (usage === undefined || contextWindow === undefined) return undefined
    return Math.min(1, (usage.inputTokens + usage.outputTokens) / contextWindow)
  }
  const switchTo = (next: Agent) => {
    agent = next
    costs = {}
    usage = undefined
  }
  const fork = async (next: Agent) => {
    const from = requireSessionId(conversation)
    const session = await sessions.fork(from, { ownerId: LOCAL_PERSON, agent: next })
    conversation.goTo(session.id)
    switchTo(next)
    return { sessionId: session.id, from, agent: agentName(), model: agent.model }
  }
  const isModel = (name: string) =>
    name.includes('/') && providers.some((provider) => provider.name === splitModel(name).provider)
  const resolveAgent = (name: string) =>
    isModel(name)
      ? withModel(agent, readModel(name, providers), plainModelSettings(settings))
      : findAgent(name)

  const slash: SlashHost = {
    async context() {
      const session = (await findRecord())?.session
      return {
        sessionId: session?.id,
        title: session?.title,
        agent: agentName(),
        model: agent.model,
        workingDir: session?.context.workingDir ?? workingDir,
        fsScope: session?.context.fsScopeTier ?? fsScope,
        tools: usableTools(agent, settings),
        messages: session?.messageCount ?? 0,
        contextUsed: contextUsed(),
      }
    },
    async files() {
      const { sessionId } = conversation
      const messages = sessionId === undefined ? [] : await store.readTail(sessionId, TAIL)
      const paths = messages
        .filter(({ role }) => role === 'user')
        .flatMap(({ content }) => content)
        .flatMap((part) => {
          if (part.type === 'text') return splitFiles(part.text).files.map(({ path }) => path)
          return part.type === 'media' ? [part.name ?? part.mediaType] : []
        })
      return [...new Set(paths)]
    },
    grants: async () => (await findRecord())?.session.grants ?? [],
    async lastResult() {
      const { sessionId } = conversation
      return sessionId && readLastResult(store, sessionId)
    },
    rename: (title) => sessions.rename(requireSessionId(conversation), title),
    fork: async (name) => fork(name === undefined ? agent : await resolveAgent(name)),
    async cancel() {
      const { sessionId } = conversation
      return sessionId !== undefined && sessions.cancel(sessionId)
    },
    models: () => listChoices(providers, models, modelName()),
    async useModel(name) {
      const next = withModel(agent, readModel(name, providers), plainModelSettings(settings))
      models.modelOf(next)
      const sessionId = conversation.sessionId && (await fork(next)).sessionId
      switchTo(next)
      return { name: modelName(), sessionId }
    },
    cost: async () => (await findRecord())?.session.costs ?? {},
    async compact() {
      const report = await sessions.compact(requireSessionId(conversation))
      usage = undefined
      await readCosts()
      return report
    },
    async trim(keep) {
      const report = await sessions.trim(requireSessionId(conversation), keep)
      usage = undefined
      return report
    },
    async export(path) {
      const sessionId = requireSessionId(conversation)
      const { exportToNewFile } = await import('../commands/export-session.ts')
      const written = await exportToNewFile(sessions, sessionId, { workingDir, path })
      await sessions.noteExport(sessionId)
      return written
    },
  }

  return {
    slash,
    agent: () => agent,
    status: () => ({
      agent: agentName(),
      model: agent.model,
      provider: agent.provider,
      contextUsed: contextUsed(),
      ...(Object.keys(costs).length > 0 && totalCost(costs)),
    }),
    async onTurnEnd(end) {
      usage = end.usage
      await readCosts()
    },
  }
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
  if (!isUsable(provider)) return [{ name, inUse: false, note: providerState(provider) }]
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
