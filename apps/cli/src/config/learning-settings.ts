import { type ModelPort, maskSecrets } from '@parley/engine'
import { PlatformError } from '@parley/contracts'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { knownSecrets } from './known-secrets.ts'
import { loadSettings } from './load-settings.ts'
import { providersOf } from './providers-of.ts'
import { splitModel } from './split-model.ts'

interface LearningSettings {
  /** Who finds facts; rules do where absent. */
  readonly model?: ModelPort
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
  const reference = merged.learning.model
  if (reference === undefined) return { close: () => {} }
  const providers = providersOf(merged, config)
  const { provider, model } = splitModel(reference)
  // It quotes what it is given, and finds no facts.
  if (provider === 'offline') return { close: () => {} }
  const { createProviders } = await import('@parley/llm')
  const found = modelOf(() => createProviders(providers).modelOf(provider, model), reference)
  const history = await openLocalHistory(config, onNotice)
  const { secrets } = await knownSecrets(history, providers, config)
  return { model: found, mask: (text) => maskSecrets(text, secrets()), close: () => history.close() }
}

function modelOf(find: () => ModelPort, reference: string): ModelPort {
  try {
    return find()
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    throw new PlatformError('config_invalid', {
      message: `learning.model is ${reference}, which is not to be had here. ${failure.message}`,
      mend: '`parley providers` lists what you have; without learning.model, rules find the facts.',
    })
  }
}
