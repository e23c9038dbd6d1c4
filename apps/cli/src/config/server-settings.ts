import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JwtIssuer } from '@parley/api'
import { type Agent, PlatformError } from '@parley/contracts'
import { type ModelPort, type Secret, type SessionLimits, maskSecrets } from '@parley/engine'
import { toKnownSecret } from '@parley/history'
import type { EmbeddingModel } from '@parley/llm'
import type { ToolPolicy } from '@parley/tools'
import { listAgentFiles, listAgents } from '../agent/find-agent.ts'
import { readSecrets, openLocalHistory } from '../compose.ts'
import type { Environment } from '../environment.ts'
import { createModelAgent, toPlainSettings } from '../session/session-agent.ts'
import { toSessionLimits } from './chat-settings.ts'
import {
  type ConfiguredProvider,
  listProviders,
  openLearningEmbedder,
  openLearningModel,
} from './configured-providers.ts'
import { OWN_FILE, type Settings, loadSettings, createToolPolicy } from './load-settings.ts'
import { joinSecrets } from './voice-settings.ts'

interface ServerSettings {
  /** The current config and agent files. */
  readonly readServedModels: () => ServedModels
  readonly limits: Partial<SessionLimits>
  readonly toolPolicy: ToolPolicy
  readonly environment: Environment['toolVariables']
  readonly secrets: () => readonly Secret[]
  readonly findSecret: (name: string) => string | undefined
  readonly embedder?: EmbeddingModel
}

interface ServedModels {
  readonly providers: readonly ConfiguredProvider[]
  readonly defaultAgent: Agent
  readonly agents: readonly Agent[]
}

/** Server settings from the user's config and the environment; project files do not apply. */
export async function openServerSettings(environment: Environment, onNotice: (notice: string) => void) {
  const { home, toolVariables } = environment
  // Taken before reading the files, so that no change is missed.
  const fingerprint = await readFingerprint(home)
  const merged = await loadSettings(environment, {})
  const { chat, server } = merged
  let served = await readServed(merged, environment)
  const embedder = await openLearningEmbedder(merged, served.providers)
  const history = await openLocalHistory(environment, onNotice)
  const { secrets, freeze, findSecret } = await readSecrets(history, served.providers, environment)
  const watch = watchFiles(home, fingerprint, async () => {
    try {
      served = await readServed(await loadSettings(environment, {}), environment)
    } catch (failure) {
      const reason = failure instanceof Error ? failure.message : String(failure)
      onNotice(`${reason} The running server keeps its current settings.`)
    }
  })
  const settings: ServerSettings = {
    readServedModels: () => served,
    limits: toSessionLimits(chat),
    toolPolicy: createToolPolicy(merged, {
      tier: chat.fs_scope,
      root: server.root ?? join(home, 'workspace'),
      ownFile: join(home, OWN_FILE),
    }),
    environment: toolVariables,
    ...(embedder && { embedder }),
    secrets: joinSecrets(
      secrets,
      createKeyList(() => served.providers),
    ),
    findSecret,
  }
  return {
    settings,
    close: () => {
      watch.stop()
      freeze()
      history.close()
    },
  }
}

async function readServed(merged: Settings, environment: Environment): Promise<ServedModels> {
  const { agents } = await listAgents({ home: environment.home })
  return {
    providers: listProviders(merged, environment),
    defaultAgent: createModelAgent(merged.chat.default_model, toPlainSettings(merged)),
    agents: agents.filter(({ source }) => source === 'own').map(({ agent }) => agent),
  }
}

/** The provider keys; the same list until the providers change. */
function createKeyList(providers: () => readonly ConfiguredProvider[]): () => readonly Secret[] {
  let current: readonly ConfiguredProvider[] | undefined
  let keys: readonly Secret[] = []
  return () => {
    if (current !== providers()) {
      current = providers()
      keys = current.flatMap(({ name, apiKey, apiKeyName = name }) =>
        apiKey === undefined ? [] : [toKnownSecret(apiKeyName, apiKey)],
      )
    }
    return keys
  }
}

const POLL_MS = 1_000

/** Calls back when the user's config or agents change. Polls, since not every file system reports changes. */
function watchFiles(
  home: string,
  known: string,
  onChange: () => Promise<void>,
): { readonly stop: () => void } {
  let last = known
  let isStopped = false
  const schedulePoll = () => setTimeout(() => void poll(), POLL_MS).unref()
  const poll = async () => {
    const current = await readFingerprint(home).catch(() => last)
    const isChanged = current !== last
    last = current
    if (isChanged && !isStopped) await onChange()
    if (!isStopped) timer = schedulePoll()
  }
  let timer = schedulePoll()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

async function readFingerprint(home: string): Promise<string> {
  const files = [join(home, OWN_FILE), ...(await listAgentFiles(join(home, 'agents')))]
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  return JSON.stringify(
    files.map((file, index) => [file, stats[index]?.ino, stats[index]?.size, stats[index]?.mtimeMs]),
  )
}

export function readJwtIssuer({ variable }: Pick<Environment, 'variable'>): {
  readonly jwtIssuer?: JwtIssuer
} {
  const issuer = variable('PARLEY_JWT_ISSUER')
  if (issuer === undefined) return {}
  const jwksUrl = variable('PARLEY_JWT_JWKS_URL') ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`
  if (!URL.canParse(jwksUrl)) {
    throw new PlatformError('config_invalid', {
      message: `The keys of PARLEY_JWT_ISSUER cannot be loaded: ${jwksUrl} is not a URL.`,
      fix: 'Set PARLEY_JWT_JWKS_URL to their address, such as https://login.example.org/jwks.json.',
    })
  }
  return { jwtIssuer: { issuer, jwksUrl, audience: variable('PARLEY_JWT_AUDIENCE') ?? 'parley' } }
}

interface LearningSettings {
  /** Extracts facts and writes the private narrative; without it, rules do. */
  readonly model?: ModelPort
  readonly embedder?: EmbeddingModel
  /** Masks what must not leave the machine. */
  readonly mask?: (text: string) => string
  readonly close: () => void
}

export async function openLearningSettings(
  environment: Environment,
  onNotice: (notice: string) => void,
): Promise<LearningSettings> {
  const merged = await loadSettings(environment, {})
  const providers = listProviders(merged, environment)
  const model = await openLearningModel(merged, providers)
  const embedder = await openLearningEmbedder(merged, providers)
  if (!model && !embedder) return { close: () => {} }
  const history = await openLocalHistory(environment, onNotice)
  const { secrets, freeze } = await readSecrets(history, providers, environment)
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
