import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '@parley/contracts'
import type { Secret, SessionLimits } from '@parley/engine'
import type { EmbeddingModel } from '@parley/llm'
import type { ToolPolicy } from '@parley/tools'
import { secretFrom } from '@parley/history'
import { agentFiles, listAgents } from '../agent/list-agents.ts'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { limitsOf } from '../session/limits-of.ts'
import { modelAgent, plainOf } from '../session/model-agent.ts'
import { embedderOf } from './embedder-of.ts'
import { knownSecrets } from './known-secrets.ts'
import { loadSettings, OWN_FILE, type Settings } from './load-settings.ts'
import { type ConfiguredProvider, providersOf } from './providers-of.ts'
import { toolPolicy } from './tool-policy.ts'
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
