import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { PlatformError, type TurnError } from '@parley/contracts'
import { toProviderFailure } from '../failure/to-provider-failure.ts'
import { type ProviderFailure, createUnavailableFailure } from '../failure/provider-failure.ts'
import { type RetryHost, withRetry } from '../retry/with-retry.ts'
import { type Patience, startWatchdog, createWatchedFetch } from '../stream/watched-fetch.ts'
import type { OpenModel, Provider, Vendor } from '../vendors/vendor.ts'
import { VENDORS } from '../vendors/vendors.ts'

/** One embedding model. */
export interface EmbeddingModel {
  /** `provider/model`, as in the config. */
  readonly model: string
  /** Throws a `PlatformError` with the failure's code, or the signal's reason after an abort. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

/** Texts per request; every vendor accepts this many. */
const BATCH = 64

/** Throws `config_invalid` if the provider has no embedding models. */
export function createEmbeddingModel(
  provider: Provider,
  modelId: string,
  host: RetryHost & { readonly patience: Patience },
): EmbeddingModel {
  const open = provider.vendor.openEmbeddingModel
  if (!open) throw createNoEmbeddingsError(provider.name)
  const attempt = { provider, modelId, open, patience: host.patience, now: host.now }
  const model = `${provider.name}/${modelId}`
  const embedBatch = withRetry(
    model,
    (texts: readonly string[], signal) => embedAttempt(attempt, texts, signal),
    host,
  )
  return {
    model,
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += BATCH) {
        for await (const event of embedBatch(texts.slice(from, from + BATCH), signal)) {
          if (event.type === 'failure') throw toPlatformError(provider.name, event.error)
          if (event.type === 'embedded') vectors.push(...event.vectors)
        }
        signal.throwIfAborted()
      }
      return vectors
    },
  }
}

export const createNoEmbeddingsError = (provider: string): PlatformError =>
  new PlatformError('config_invalid', {
    provider,
    message: `The provider ${provider} has no embedding models. Use ${listEmbeddingVendors()}.`,
  })

const listEmbeddingVendors = (): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    Object.values<Vendor>(VENDORS).flatMap((vendor) =>
      vendor.transport === 'http' && vendor.openEmbeddingModel ? [vendor.title] : [],
    ),
  )

const toPlatformError = (provider: string, { code, message, retryable }: TurnError): PlatformError =>
  new PlatformError(code, { provider, message, retryable })

interface EmbedAttempt {
  readonly provider: Provider
  readonly modelId: string
  readonly open: OpenModel<EmbeddingModelV4>
  readonly patience: Patience
  readonly now: () => number
}

type EmbedAttemptEvent =
  | { readonly type: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'attempt_failed'; readonly failure: ProviderFailure }

/** No vector has more than 16,000 numbers, and a number takes about 24 bytes on the wire. */
const MAX_BYTES_PER_TEXT = 16_000 * 24

/** One request for a batch. Yields nothing if the caller aborts. */
async function* embedAttempt(
  { provider, modelId, open, patience, now }: EmbedAttempt,
  texts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<EmbedAttemptEvent, void> {
  const watchdog = startWatchdog(patience, MAX_BYTES_PER_TEXT * texts.length, signal)
  try {
    const model = await open(provider, modelId, createWatchedFetch(watchdog))
    const { embeddings } = await model.doEmbed({ values: [...texts], abortSignal: watchdog.signal })
    const vectors = embeddings.map((numbers) => Float32Array.from(numbers))
    if (signal.aborted) return
    if (areValidVectors(vectors, texts.length)) yield { type: 'embedded', vectors }
    else yield { type: 'attempt_failed', failure: createInvalidVectorsFailure(provider, modelId) }
  } catch (thrown) {
    if (signal.aborted) return
    const failure =
      watchdog.reason === undefined
        ? toProviderFailure(thrown, { provider, modelId, now: now() })
        : createUnavailableFailure(`${provider.name} returned no embeddings in time; try again.`)
    yield { type: 'attempt_failed', failure }
  } finally {
    watchdog.stop()
  }
}

/** One vector per text, all of the same length, and none of them zero. */
function areValidVectors(vectors: readonly Float32Array[], count: number): boolean {
  const length = vectors[0]?.length
  return (
    vectors.length === count &&
    vectors.every(
      (vector) => vector.length === length && vector.every(Number.isFinite) && vector.some(Boolean),
    )
  )
}

const createInvalidVectorsFailure = ({ name }: Provider, modelId: string): ProviderFailure => ({
  error: {
    code: 'validation',
    message: `${name} did not return valid embeddings for ${modelId}: choose an embedding model.`,
    retryable: false,
  },
})
