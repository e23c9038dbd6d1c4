import { join } from 'node:path'
import type { Agent } from '@parley/contracts'
import type { Secret, SessionLimits } from '@parley/engine'
import type { EmbeddingModel } from '@parley/llm'
import type { ToolPolicy } from '@parley/tools'
import { listAgents } from '../agent/list-agents.ts'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { limitsOf } from '../session/limits-of.ts'
import { modelAgent, plainOf } from '../session/model-agent.ts'
import { embedderOf } from './embedder-of.ts'
import { knownSecrets } from './known-secrets.ts'
import { loadSettings, OWN_FILE } from './load-settings.ts'
import { type ConfiguredProvider, providersOf } from './providers-of.ts'
import { toolPolicy } from './tool-policy.ts'

interface ServerSettings {
  readonly providers: readonly ConfiguredProvider[]
  readonly limits: Partial<SessionLimits>
  /** Who answers where nobody names an agent. */
  readonly defaultAgent: Agent
  /** The person's own, which others may name. */
  readonly agents: readonly Agent[]
  readonly toolPolicy: ToolPolicy
  readonly environment: Config['environment']
  readonly secrets: () => readonly Secret[]
  readonly secretOf: (name: string) => string | undefined
  /** Who makes vectors of questions. */
  readonly embedder?: EmbeddingModel
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
  const merged = await loadSettings(config, {})
  const { chat, server } = merged
  const providers = providersOf(merged, config)
  const embedder = await embedderOf(merged, providers)
  const { agents } = await listAgents({ home })
  const history = await openLocalHistory(config, onNotice)
  const settings: ServerSettings = {
    providers,
    limits: limitsOf(chat),
    defaultAgent: modelAgent(chat.default_model, plainOf(merged)),
    agents: agents.filter(({ source }) => source === 'own').map(({ agent }) => agent),
    toolPolicy: toolPolicy(merged, {
      tier: chat.fs_scope,
      root: server.root ?? join(home, 'workspace'),
      ownFile: join(home, OWN_FILE),
    }),
    environment,
    ...(embedder && { embedder }),
    ...(await knownSecrets(history, providers, config)),
  }
  return { settings, close: () => history.close() }
}
