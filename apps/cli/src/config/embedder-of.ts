import { PlatformError } from '@parley/contracts'
import type { EmbeddingModel } from '@parley/llm'
import type { MergedConfig } from './merge-config.ts'
import type { ConfiguredProvider } from './providers-of.ts'
import { splitModel } from './split-model.ts'

/** Who makes vectors, of chunks in a worker and of questions in a server: the same for both. */
export async function embedderOf(
  { learning }: MergedConfig,
  providers: readonly ConfiguredProvider[],
): Promise<EmbeddingModel | undefined> {
  const reference = learning.embedding_model
  if (reference === undefined) return undefined
  const { provider, model } = splitModel(reference)
  const { createProviders } = await import('@parley/llm')
  try {
    return createProviders(providers).embedderOf(provider, model)
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    throw new PlatformError('config_invalid', {
      message: `learning.embedding_model is ${reference}, which is not to be had here. ${failure.message}`,
      mend: '`parley providers` lists what you have; without learning.embedding_model, search is by words alone.',
    })
  }
}
