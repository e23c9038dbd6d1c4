import { randomFillSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, type AgentSession, type PersonId, PlatformError } from '@parley/contracts'
import type { ModelPort, Secret, SessionLimits, Sessions } from '@parley/engine'
import type { History } from '@parley/history'
import type { ProviderSettings, Providers } from '@parley/llm'
import type { ToolPolicy, Toolbox } from '@parley/tools'
import type { Config } from './config.ts'
import { providersOf } from './config/configured-providers.ts'
import { OWN_FILE, loadSettings, toolPolicy } from './config/load-settings.ts'

/** Whoever uses this machine's history; it has one owner. */
export const LOCAL_PERSON = 'per_local' as PersonId

type Notify = (notice: string) => void

export async function openLocalHistory({ home, historyKey }: Config, onNotice: Notify): Promise<History> {
  const { openHistory } = await import('@parley/history')
  return openHistory({ home, onNotice, ...(historyKey !== undefined && { key: historyKey }) })
}

export interface LocalSessions {
  readonly sessions: Sessions
  /** Ends what tools have started. */
  readonly close: () => Promise<void>
}

interface LocalSetup {
  readonly config: Config
  readonly models: Pick<Models, 'modelOf'>
  readonly providers: readonly ProviderSettings[]
  readonly limits?: Partial<SessionLimits>
}

/** The engine in this process, on the local history. */
export async function openLocalSessions(
  history: Pick<History, 'store' | 'secrets'>,
  { config, models, providers, limits = {} }: LocalSetup,
): Promise<LocalSessions> {
  const { createRunEventBus, createIdSource, createSessions, noTools } = await import('@parley/engine')
  const { store } = history
  const { secrets, secretOf } = await knownSecrets(history, providers, config)
  let toolbox: Promise<Toolbox> | undefined
  const open = async (): Promise<Toolbox> => {
    const { createToolbox } = await import('@parley/tools')
    const { home, environment } = config
    const policyOf = ({ context }: Pick<AgentSession, 'context'>) => policyIn(config, context)
    return createToolbox({
      policyOf,
      home,
      environment,
      secrets,
      secretOf,
      handleOf: (bytes) => store.handleOf(bytes),
    })
  }
  const sessions = createSessions({
    store,
    hub: createRunEventBus(),
    clock: { now: Date.now },
    ids: createIdSource(randomFillSync),
    modelOf: models.modelOf,
    // Most of what tools need is loaded with the first agent that has some.
    toolsOf: async (session) =>
      session.agentSnapshot.tools?.length ? (await (toolbox ??= open())).toolsOf(session) : noTools,
    secrets,
    limits,
  })
  return { sessions, close: async () => (await toolbox)?.close() }
}

/** Sessions in which no turn runs here: to end, cancel, remove and export them. Secrets are those of the folder where one works. */
export async function openIdleSessions(
  history: Pick<History, 'store' | 'secrets'>,
  config: Config,
  { workingDir }: Pick<AgentSession['context'], 'workingDir'>,
): Promise<Sessions> {
  const { createRunEventBus, createIdSource, createSessions, noTools } = await import('@parley/engine')
  const providers = providersOf(await loadSettings(config, { workingDir }), config)
  const { secrets } = await knownSecrets(history, providers, config)
  return createSessions({
    store: history.store,
    hub: createRunEventBus(),
    clock: { now: Date.now },
    ids: createIdSource(randomFillSync),
    modelOf: (await loadModels()).modelOf,
    toolsOf: () => noTools,
    secrets,
  })
}

/** What holds where the session works, which need not be where the program was called. */
async function policyIn(config: Config, { workingDir }: AgentSession['context']): Promise<ToolPolicy> {
  const settings = await loadSettings(config, { workingDir })
  // How far a session reaches was settled at its start, by the person themself.
  return toolPolicy(settings, { tier: 'full', ownFile: join(config.home, OWN_FILE) })
}

export interface Models extends Pick<Providers, 'listModels'> {
  /** Throws `config_invalid` where nobody provides the agent's model. */
  readonly modelOf: (agent: Agent) => ModelPort
}

/** The models of these providers; what a vendor's own library brings is loaded when it is first asked. */
export async function loadModels(settings: readonly ProviderSettings[] = OFFLINE_ALONE): Promise<Models> {
  const { createProviders } = await import('@parley/llm')
  const providers = createProviders(settings)
  return {
    listModels: (provider, signal) => providers.listModels(provider, signal),
    modelOf(agent) {
      const { provider, model, retry, fallback_chain: fallbacks = [] } = agent
      try {
        const found = providers.modelOf(provider, model, {
          maxAttempts: retry?.max_attempts,
          hasFallback: fallbacks.length > 0,
        })
        if (found.modelId === model) return found
      } catch (failure) {
        throw failure instanceof PlatformError ? notToBeHad(agent, failure.message) : failure
      }
      throw notToBeHad(agent, `The provider ${provider} has one model: ${provider}/offline.`)
    },
  }
}

const OFFLINE_ALONE: readonly ProviderSettings[] = [{ name: 'offline', kind: 'offline' }]

const notToBeHad = ({ id, provider, model }: Agent, why: string) =>
  new PlatformError('config_invalid', {
    message: `The agent "${id}" asks for ${provider}/${model}, which is not to be had here. ${sentence(why)}`,
    mend: '`parley providers` lists what you have, `parley providers add` adds one.',
    provider,
    model,
  })

const sentence = (text: string): string => text.replace(/[^.?!]$/, '$&.')

interface KnownSecrets {
  /** All that must not be shown: every value that ever was kept, the keys of providers, and the data folder's own. */
  readonly secrets: () => readonly Secret[]
  /** Reads no more from the store, which may be closed then: what is logged afterwards is still masked. */
  readonly freeze: () => void
  /** What config may name: those that are kept now. */
  readonly secretOf: (name: string) => string | undefined
}

export async function knownSecrets(
  { secrets: store }: Pick<History, 'secrets'>,
  providers: readonly ProviderSettings[],
  { home, historyKey, ownerToken }: Pick<Config, 'home' | 'historyKey' | 'ownerToken'>,
): Promise<KnownSecrets> {
  const { secretFrom } = await import('@parley/history')
  const own = { PARLEY_HISTORY_KEY: historyKey, PARLEY_OWNER_TOKEN: ownerToken }
  const keys = [
    ...providers.map(({ apiKey, apiKeyName, name }) => [apiKeyName ?? name, apiKey] as const),
    ...Object.entries(own),
    ...(await ownFiles(home)),
  ].flatMap(([name, value]) => (value === undefined ? [] : [secretFrom(name, value)]))
  let known: readonly Secret[] = []
  let revision: number | undefined
  let isFrozen = false
  const secrets = () => {
    if (isFrozen) return known
    const latest = store.revision()
    if (latest !== revision) {
      known = [...keys, ...store.list().map(({ name, value }) => secretFrom(name, value))]
      revision = latest
    }
    return known
  }
  return {
    secrets,
    freeze() {
      secrets()
      isFrozen = true
    },
    secretOf: (wanted) => store.list().find(({ name, isRetired }) => name === wanted && !isRetired)?.value,
  }
}

/** File tools do not reach them; a program that a tool runs may. */
const OWN_FILES = [
  'history.key',
  'owner-token',
  'voice-key',
  'binding-secret',
  'tool-secret',
  'postgres/password',
]

/** A value a line, by the name of its file. */
async function ownFiles(home: string): Promise<readonly (readonly [name: string, value: string])[]> {
  const texts = await Promise.all(
    OWN_FILES.map(async (name) => [name, await readFile(join(home, name), 'utf8').catch(() => '')] as const),
  )
  return texts.flatMap(([name, text]) =>
    text.split(/\s+/).flatMap((value) => (value === '' ? [] : [[name, value] as const])),
  )
}
