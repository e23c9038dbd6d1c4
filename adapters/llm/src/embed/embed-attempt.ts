import { failureOf } from '../failure/failure-of.ts'
import { type Failure, unavailable } from '../failure/failure.ts'
import type { Provider } from '../settings.ts'
import { guardedFetch } from '../stream/guarded-fetch.ts'
import { type Patience, watchdog } from '../stream/watchdog.ts'
import type { OpenEmbeddingModel } from './embedding-vendors.ts'

export interface EmbedAttempt {
  readonly provider: Provider
  readonly modelId: string
  readonly open: OpenEmbeddingModel
  readonly patience: Patience
  readonly now: () => number
}

type AttemptEvent =
  | { readonly type: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly failure: Failure }

/** A number takes some twenty bytes on the wire, and no vector has more of them. */
const MOST_BYTES_A_TEXT = 16_000 * 24

/** One request for the vectors of a few texts. Ends with nothing where the caller aborts. */
export async function* embedAttempt(
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
        ? failureOf(thrown, { provider, modelId, now: now() })
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
