import { randomFillSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, type AgentSession, type PersonId, PlatformError } from '@parley/contracts'
import type { ModelPort, Secret, SessionLimits, Sessions } from '@parley/engine'
import type { History } from '@parley/history'
import type { ProviderSettings, Providers } from '@parley/llm'
import type { ToolPolicy, Toolbox } from '@parley/tools'
import type { CommandHost } from './commands/command.ts'
import type { Environment } from './environment.ts'
import { toSessionLimits } from './config/chat-settings.ts'
import { type ConfiguredProvider, listProviders } from './config/configured-providers.ts'
import { OWN_FILE, type Settings, loadSettings, createToolPolicy } from './config/load-settings.ts'
import { notify } from './render/output.ts'

export const LOCAL_PERSON = 'per_local' as PersonId

export async function openLocalHistory(
  { home, historyKey }: Environment,
  onNotice: (notice: string) => void,
): Promise<History> {
  const { openHistory } = await import('@parley/history')
  return openHistory({ home, onNotice, ...(historyKey !== undefined && { key: historyKey }) })
}

export async function withLocalHistory<T>(
  { io, environment }: CommandHost,
  work: (history: History) => T | Promise<T>,
): Promise<T> {
  const history = await openLocalHistory(environment, (notice) => notify(io, notice))
  try {
    return await work(history)
  } finally {
    history.close()
  }
}

export interface ChatSetup {
  readonly settings: Settings
  readonly providers: readonly ConfiguredProvider[]
  readonly models: Models
  readonly limits: Partial<SessionLimits>
}

/** Loads the setup for this folder and prints notices about ignored settings. */
export async function loadChatSetup({ io, environment }: CommandHost): Promise<ChatSetup> {
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  for (const notice of settings.notices) notify(io, notice)
  const providers = listProviders(settings, environment)
  return { settings, providers, models: await loadModels(providers), limits: toSessionLimits(settings.chat) }
}

interface LocalSetup {
  readonly environment: Environment
  readonly models: Pick<Models, 'getModel'>
  readonly providers: readonly ProviderSettings[]
  readonly limits?: Partial<SessionLimits>
}

/** The engine in this process, on the local history. */
export async function openLocalSessions(
  history: Pick<History, 'store' | 'secrets'>,
  { environment, models, providers, limits = {} }: LocalSetup,
) {
  const { createRunEventBus, createIdSource, createSessions, noTools } = await import('@parley/engine')
  const { store } = history
  const { secrets, findSecret } = await readSecrets(history, providers, environment)
  let toolbox: Promise<Toolbox> | undefined
  const open = async (): Promise<Toolbox> => {
    const { createToolbox } = await import('@parley/tools')
    const { home, toolVariables } = environment
    const policyOf = ({ context }: Pick<AgentSession, 'context'>) => loadPolicy(environment, context)
    return createToolbox({
      loadPolicy: policyOf,
      home,
      environment: toolVariables,
      secrets,
      findSecret,
      createHandle: (bytes) => store.toMediaHandle(bytes),
    })
  }
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: { now: Date.now },
    ids: createIdSource(randomFillSync),
    getModel: models.getModel,
    // Tool code is loaded with the first agent that has tools.
    getTools: async (session) =>
      session.agentSnapshot.tools?.length ? (await (toolbox ??= open())).openTools(session) : noTools,
    secrets,
    limits,
  })
  /** Stops processes that tools started. */
  const close = async () => (await toolbox)?.close()
  return { sessions, close }
}

/** Sessions to end, cancel, remove or export; no turn runs here. */
export async function openIdleSessions(
  history: Pick<History, 'store' | 'secrets'>,
  environment: Environment,
  { workingDir }: Pick<AgentSession['context'], 'workingDir'>,
): Promise<Sessions> {
  const providers = listProviders(await loadSettings(environment, { workingDir }), environment)
  const { sessions } = await openLocalSessions(history, {
    environment,
    models: await loadModels(),
    providers,
  })
  return sessions
}

/** The settings for the folder of the session, which may differ from the current one. */
async function loadPolicy(
  environment: Environment,
  { workingDir }: AgentSession['context'],
): Promise<ToolPolicy> {
  const settings = await loadSettings(environment, { workingDir })
  // The user chose the file scope when the session started.
  return createToolPolicy(settings, { tier: 'full', ownFile: join(environment.home, OWN_FILE) })
}

export interface Models extends Pick<Providers, 'listModels'> {
  /** Throws `config_invalid` if no provider has the agent's model. */
  readonly getModel: (agent: Agent) => ModelPort
}

/** The models of these providers; vendor libraries are loaded on first use. */
export async function loadModels(settings: readonly ProviderSettings[] = ONLY_OFFLINE): Promise<Models> {
  const { createProviders, openAgentModel } = await import('@parley/llm')
  const providers = createProviders(settings)
  return {
    listModels: (provider, signal) => providers.listModels(provider, signal),
    getModel: (agent) =>
      openAgentModel(providers, agent, (reason) => createModelUnavailableError(agent, reason)),
  }
}

/** Throws if no provider has the agent's model, with a better fix if there is one. */
export function requireModel(agent: Agent, { getModel }: Pick<Models, 'getModel'>, fix?: string): void {
  try {
    getModel(agent)
  } catch (failure) {
    if (!(failure instanceof PlatformError) || fix === undefined) throw failure
    throw new PlatformError(failure.code, { ...failure.detail, fix }, { cause: failure })
  }
}

const ONLY_OFFLINE: readonly ProviderSettings[] = [{ name: 'offline', kind: 'offline' }]

const createModelUnavailableError = ({ provider, model }: Agent, reason: string) =>
  new PlatformError('config_invalid', {
    message: `The model ${provider}/${model} is not available. ${reason}`,
    fix: '`parley providers` lists the providers, `parley providers add` adds one.',
    provider,
    model,
  })

interface KnownSecrets {
  /** Everything to mask: all secrets ever saved, provider keys, and the data folder's own. */
  readonly secrets: () => readonly Secret[]
  /** Stops reading from the store: it can be closed while logs stay masked. */
  readonly freeze: () => void
  /** The current value of a secret that config refers to. */
  readonly findSecret: (name: string) => string | undefined
}

export async function readSecrets(
  { secrets: store }: Pick<History, 'secrets'>,
  providers: readonly ProviderSettings[],
  { home, historyKey, ownerToken }: Pick<Environment, 'home' | 'historyKey' | 'ownerToken'>,
): Promise<KnownSecrets> {
  const { toKnownSecret: secretFrom } = await import('@parley/history')
  const own = { PARLEY_HISTORY_KEY: historyKey, PARLEY_OWNER_TOKEN: ownerToken }
  const keys = [
    ...providers.map(({ apiKey, apiKeyName, name }) => [apiKeyName ?? name, apiKey] as const),
    ...Object.entries(own),
    ...(await readSecretFiles(home)),
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
    findSecret: (secretName) =>
      store.list().find(({ name, isRetired }) => name === secretName && !isRetired)?.value,
  }
}

/** File tools cannot read these, but a program that a tool runs may. */
const SECRET_FILES = [
  'history.key',
  'owner-token',
  'voice-key',
  'binding-secret',
  'tool-secret',
  'postgres/password',
]

async function readSecretFiles(home: string): Promise<readonly (readonly [name: string, value: string])[]> {
  const texts = await Promise.all(
    SECRET_FILES.map(
      async (name) => [name, await readFile(join(home, name), 'utf8').catch(() => '')] as const,
    ),
  )
  return texts.flatMap(([name, text]) =>
    text.split(/\s+/).flatMap((value) => (value === '' ? [] : [[name, value] as const])),
  )
}
