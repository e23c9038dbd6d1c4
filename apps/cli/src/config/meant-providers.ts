import type { Providers } from '@parley/llm'
import type { CommandCall } from '../commands/command.ts'
import { readConfig } from '../config.ts'
import { loadSettings } from './load-settings.ts'
import { isUsable } from './provider-state.ts'
import { providersOf } from './providers-of.ts'

interface Meant {
  readonly names: readonly string[]
  readonly providers: Providers
}

/** The provider that a command names, or all that have what they need; one that is not there is told when it is asked. */
export async function meantProviders({ io, positionals }: CommandCall): Promise<Meant> {
  const config = readConfig(io.environment)
  const settings = await loadSettings(config, { workingDir: process.cwd() })
  const known = providersOf(settings, config)
  const { createProviders } = await import('@parley/llm')
  const names = positionals.length > 0 ? positionals : known.filter(isUsable).map(({ name }) => name)
  return { names, providers: createProviders(known) }
}
