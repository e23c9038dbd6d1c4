import type { SessionLimits } from '@parley/engine'
import { loadModels, type Models } from '../compose.ts'
import { loadSettings, type Settings } from '../config/load-settings.ts'
import { type ConfiguredProvider, providersOf } from '../config/providers-of.ts'
import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { tell } from '../render/tell.ts'
import { limitsOf } from './limits-of.ts'

/** What the conversations of this machine answer with. */
export interface Setup {
  readonly settings: Settings
  readonly providers: readonly ConfiguredProvider[]
  readonly models: Models
  readonly limits: Partial<SessionLimits>
}

/** By the settings that hold in this folder; what a project asks for in vain is told. */
export async function loadSetup(config: Config, { stderr }: Io): Promise<Setup> {
  const settings = await loadSettings(config, { workingDir: process.cwd() })
  for (const notice of settings.notices) tell(stderr, `parley: ${notice}`)
  const providers = providersOf(settings, config)
  return { settings, providers, models: await loadModels(providers), limits: limitsOf(settings.chat) }
}
