import { PlatformError, type TurnError } from '@parley/contracts'
import { type RetryHost, withRetry } from '../retry/with-retry.ts'
import type { Provider } from '../settings.ts'
import type { Patience } from '../stream/watchdog.ts'
import { embedAttempt } from './embed-attempt.ts'
import { EMBEDDING_VENDORS } from './embedding-vendors.ts'

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
  const open = EMBEDDING_VENDORS[provider.kind]
  if (!open) throw makesNone(provider.name)
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

export const makesNone = (provider: string): PlatformError =>
  new PlatformError('config_invalid', {
    provider,
    message: `The provider ${provider} has no models that make embeddings: name one of OpenAI, Google or an OpenAI-compatible server.`,
  })

const failed = (provider: string, { code, message, retryable }: TurnError): PlatformError =>
  new PlatformError(code, { provider, message, retryable })
