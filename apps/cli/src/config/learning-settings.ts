import { type ModelPort, maskSecrets } from '@parley/engine'
import { PlatformError } from '@parley/contracts'
import type { EmbeddingModel } from '@parley/llm'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { embedderOf } from './embedder-of.ts'
import { knownSecrets } from './known-secrets.ts'
import { loadSettings } from './load-settings.ts'
import type { MergedConfig } from './merge-config.ts'
import { type ConfiguredProvider, providersOf } from './providers-of.ts'
import { splitModel } from './split-model.ts'

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
