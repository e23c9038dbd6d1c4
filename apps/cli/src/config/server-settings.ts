import type { Agent } from '@parley/contracts'
import type { SessionLimits } from '@parley/engine'
import type { Config } from '../config.ts'
import { limitsOf } from '../session/limits-of.ts'
import { modelAgent } from '../session/model-agent.ts'
import { loadSettings } from './load-settings.ts'
import { type ConfiguredProvider, providersOf } from './providers-of.ts'

interface ServerSettings {
  readonly providers: readonly ConfiguredProvider[]
  readonly limits: Partial<SessionLimits>
  /** Who answers where nobody names an agent. */
  readonly defaultAgent: Agent
}

/** What a server takes from the person's config and the environment; a project's files have no say in it. */
export async function serverSettings(config: Config): Promise<ServerSettings> {
  const settings = await loadSettings(config, {})
  const { chat } = settings
  return {
    providers: providersOf(settings, config),
    limits: limitsOf(chat),
    defaultAgent: modelAgent(chat.default_model, chat),
  }
}
