import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JwtIssuer } from '@parley/api'
import { type Agent, PlatformError } from '@parley/contracts'
import { type ModelPort, type Secret, type SessionLimits, maskSecrets } from '@parley/engine'
import { secretFrom } from '@parley/history'
import type { EmbeddingModel } from '@parley/llm'
import type { ToolPolicy } from '@parley/tools'
import { agentFiles, listAgents } from '../agent/find-agent.ts'
import { knownSecrets, openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { modelAgent, plainOf } from '../session/session-setup.ts'
import { limitsOf } from './chat-settings.ts'
import { type ConfiguredProvider, embedderOf, providersOf } from './configured-providers.ts'
import { OWN_FILE, type Settings, loadSettings, toolPolicy } from './load-settings.ts'
import { type MergedConfig, splitModel } from './merge-config.ts'
import { withSecrets } from './voice-settings.ts'

interface ServerSettings {
  /** As the config and the agent files are now. */
  readonly served: () => ServedModels
  readonly limits: Partial<SessionLimits>
  readonly toolPolicy: ToolPolicy
  readonly environment: Config['environment']
  readonly secrets: () => readonly Secret[]
  readonly secretOf: (name: string) => string | undefined
  /** Who makes vectors of questions. */
  readonly embedder?: EmbeddingModel
}

interface ServedModels {
  readonly providers: readonly ConfiguredProvider[]
  /** Who answers where nobody names an agent. */
  readonly defaultAgent: Agent
  /** The person's own, which others may name. */
  readonly agents: readonly Agent[]
}

interface OpenedSettings {
  readonly settings: ServerSettings
  readonly close: () => void
}

/** What a server takes from the person's config and the environment; a project's files have no say in it. */
export async function openServerSettings(
  config: Config,
  onNotice: (notice: string) => void,
): Promise<OpenedSettings> {
  const { home, environment } = config
  // Taken before the files are read, so that no change falls between the two.
  const fingerprint = await fingerprintOf(home)
  const merged = await loadSettings(config, {})
  const { chat, server } = merged
  let served = await servedBy(merged, config)
  const embedder = await embedderOf(merged, served.providers)
  const history = await openLocalHistory(config, onNotice)
  const { secrets, freeze, secretOf } = await knownSecrets(history, served.providers, config)
  const watch = watchFiles(home, fingerprint, async () => {
    try {
      served = await servedBy(await loadSettings(config, {}), config)
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure)
      onNotice(`${why} The running server keeps the settings that it has.`)
    }
  })
  const settings: ServerSettings = {
    served: () => served,
    limits: limitsOf(chat),
    toolPolicy: toolPolicy(merged, {
      tier: chat.fs_scope,
      root: server.root ?? join(home, 'workspace'),
      ownFile: join(home, OWN_FILE),
    }),
    environment,
    ...(embedder && { embedder }),
    secrets: withSecrets(
      secrets,
      keysOf(() => served.providers),
    ),
    secretOf,
  }
  return {
    settings,
    close() {
      watch.stop()
      freeze()
      history.close()
    },
  }
}

async function servedBy(merged: Settings, config: Config): Promise<ServedModels> {
  const { agents } = await listAgents({ home: config.home })
  return {
    providers: providersOf(merged, config),
    defaultAgent: modelAgent(merged.chat.default_model, plainOf(merged)),
    agents: agents.filter(({ source }) => source === 'own').map(({ agent }) => agent),
  }
}

/** The keys of providers, which is the same list until the providers change. */
function keysOf(providers: () => readonly ConfiguredProvider[]): () => readonly Secret[] {
  let of: readonly ConfiguredProvider[] | undefined
  let keys: readonly Secret[] = []
  return () => {
    if (of !== providers()) {
      of = providers()
      keys = of.flatMap(({ name, apiKey, apiKeyName = name }) =>
        apiKey === undefined ? [] : [secretFrom(apiKeyName, apiKey)],
      )
    }
    return keys
  }
}

const LOOKS_EVERY_MS = 1_000

/** Calls back when the person's config or one of their agents changes. It looks, since not every file system reports changes. */
function watchFiles(
  home: string,
  known: string,
  onChange: () => Promise<void>,
): { readonly stop: () => void } {
  let last = known
  let isStopped = false
  const plan = () => setTimeout(() => void look(), LOOKS_EVERY_MS).unref()
  const look = async () => {
    const found = await fingerprintOf(home).catch(() => last)
    const isChanged = found !== last
    last = found
    if (isChanged && !isStopped) await onChange()
    if (!isStopped) timer = plan()
  }
  let timer = plan()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

async function fingerprintOf(home: string): Promise<string> {
  const files = [join(home, OWN_FILE), ...(await agentFiles(join(home, 'agents')))]
  const found = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  return JSON.stringify(
    files.map((file, index) => [file, found[index]?.ino, found[index]?.size, found[index]?.mtimeMs]),
  )
}

/** Whose JWTs say who somebody is, by the environment; nobody's where no issuer is named. */
export function jwtIssuerOf({ variable }: Pick<Config, 'variable'>): { readonly jwtIssuer?: JwtIssuer } {
  const issuer = variable('PARLEY_JWT_ISSUER')
  if (issuer === undefined) return {}
  const jwksUrl = variable('PARLEY_JWT_JWKS_URL') ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`
  if (!URL.canParse(jwksUrl)) {
    throw new PlatformError('config_invalid', {
      message: `The keys of PARLEY_JWT_ISSUER cannot be had: ${jwksUrl} is no URL.`,
      mend: 'Set PARLEY_JWT_JWKS_URL to where they are, such as https://login.example.org/jwks.json.',
    })
  }
  return { jwtIssuer: { issuer, jwksUrl, audience: variable('PARLEY_JWT_AUDIENCE') ?? 'parley' } }
}

interface LearningSettings {
  /** Who finds facts and writes the private narrative; rules do where absent. */
  readonly model?: ModelPort
  /** Who makes vectors of chunks; they have none where absent. */
  readonly embedder?: EmbeddingModel
  /** Takes out of a text what must not leave the machine. */
  readonly mask?: (text: string) => string
  readonly close: () => void
}

/** What a worker takes from the person's own config. */
export async function openLearningSettings(
  config: Config,
  onNotice: (notice: string) => void,
): Promise<LearningSettings> {
  const merged = await loadSettings(config, {})
  const providers = providersOf(merged, config)
  const model = await modelOf(merged, providers)
  const embedder = await embedderOf(merged, providers)
  if (!model && !embedder) return { close: () => {} }
  const history = await openLocalHistory(config, onNotice)
  const { secrets, freeze } = await knownSecrets(history, providers, config)
  return {
    ...(model && { model }),
    ...(embedder && { embedder }),
    mask: (text) => maskSecrets(text, secrets()),
    close() {
      freeze()
      history.close()
    },
  }
}

async function modelOf(
  { learning }: MergedConfig,
  providers: readonly ConfiguredProvider[],
): Promise<ModelPort | undefined> {
  const reference = learning.model
  if (reference === undefined) return undefined
  const { provider, model } = splitModel(reference)
  // It quotes what it is given, and finds no facts.
  if (provider === 'offline') return undefined
  const { createProviders } = await import('@parley/llm')
  try {
    return createProviders(providers).modelOf(provider, model)
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    throw new PlatformError('config_invalid', {
      message: `learning.model is ${reference}, which is not to be had here. ${failure.message}`,
      mend: '`parley providers` lists what you have; without learning.model, rules find the facts and write the narrative.',
    })
  }
}
