import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { PlatformError, type TurnError } from '@parley/contracts'
import { describeFailure } from '../failure/describe-failure.ts'
import { type Failure, unavailable } from '../failure/failure.ts'
import { type RetryHost, withRetry } from '../retry/with-retry.ts'
import { guardedFetch } from '../stream/guarded-fetch.ts'
import { type Patience, watchdog } from '../stream/watchdog.ts'
import type { Open, Provider } from '../vendors/vendor.ts'

/** One model that makes vectors of texts. */
export interface EmbeddingModel {
  /** Its provider and name, as a config writes them. */
  readonly model: string
  /** Throws a `PlatformError` with the code of what went wrong, and the signal's reason once it aborts. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

/** What every vendor takes in one request. */
const AT_ONCE = 64

/** Throws `config_invalid` where the provider has no models that make vectors. */
export function createEmbedder(
  provider: Provider,
  modelId: string,
  host: RetryHost & { readonly patience: Patience },
): EmbeddingModel {
  const open = provider.vendor.openEmbeddingModel
  if (!open) throw noEmbeddingsError(provider.name)
  const attempt = { provider, modelId, open, patience: host.patience, now: host.now }
  const model = `${provider.name}/${modelId}`
  const ask = withRetry(
    model,
    (texts: readonly string[], signal) => embedAttempt(attempt, texts, signal),
    host,
  )
  return {
    model,
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += AT_ONCE) {
        for await (const event of ask(texts.slice(from, from + AT_ONCE), signal)) {
          if (event.type === 'failure') throw failed(provider.name, event.error)
          if (event.type === 'embedded') vectors.push(...event.vectors)
        }
        signal.throwIfAborted()
      }
      return vectors
    },
  }
}

export const noEmbeddingsError = (provider: string): PlatformError =>
  new PlatformError('config_invalid', {
    provider,
    message: `The provider ${provider} has no models that make embeddings: name one of OpenAI, Google or an OpenAI-compatible server.`,
  })

const failed = (provider: string, { code, message, retryable }: TurnError): PlatformError =>
  new PlatformError(code, { provider, message, retryable })

interface EmbedAttempt {
  readonly provider: Provider
  readonly modelId: string
  readonly open: Open<EmbeddingModelV4>
  readonly patience: Patience
  readonly now: () => number
}

type AttemptEvent =
  | { readonly type: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly failure: Failure }

/** A number takes some twenty bytes on the wire, and no vector has more of them. */
const MOST_BYTES_A_TEXT = 16_000 * 24

/** One request for the vectors of a few texts. Ends with nothing where the caller aborts. */
async function* embedAttempt(
  { provider, modelId, open, patience, now }: EmbedAttempt,
  texts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent, void> {
  const dog = watchdog(patience, MOST_BYTES_A_TEXT * texts.length, signal)
  try {
    const model = await open(provider, modelId, guardedFetch(dog))
    const { embeddings } = await model.doEmbed({ values: [...texts], abortSignal: dog.signal })
    const vectors = embeddings.map((numbers) => Float32Array.from(numbers))
    if (signal.aborted) return
    if (areSound(vectors, texts.length)) yield { type: 'embedded', vectors }
    else yield { type: 'failed', failure: unsound(provider, modelId) }
  } catch (thrown) {
    if (signal.aborted) return
    const failure =
      dog.verdict === undefined
        ? describeFailure(thrown, { provider, modelId, now: now() })
        : unavailable(`${provider.name} gave no vectors in time; ask again.`)
    yield { type: 'failed', failure }
  } finally {
    dog.stop()
  }
}

/** One a text, of one length, each with a direction. */
function areSound(vectors: readonly Float32Array[], count: number): boolean {
  const length = vectors[0]?.length
  return (
    vectors.length === count &&
    vectors.every(
      (vector) => vector.length === length && vector.every(Number.isFinite) && vector.some(Boolean),
    )
  )
}

const unsound = ({ name }: Provider, modelId: string): Failure => ({
  error: {
    code: 'validation',
    message: `What ${name} gives for ${modelId} are not vectors, one a text and of one length: name a model that makes embeddings.`,
    retryable: false,
  },
})
