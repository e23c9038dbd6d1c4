import { type Agent, PlatformError } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { Providers } from './providers.ts'

/** Opens the model that an agent names. If it is not available, throws the error that `refuse` creates. */
export function openAgentModel(
  providers: Pick<Providers, 'openModel'>,
  { provider, model, retry, fallback_chain: fallbacks = [] }: Agent,
  refuse: (reason: string) => PlatformError,
): ModelPort {
  try {
    const port = providers.openModel(provider, model, {
      maxAttempts: retry?.max_attempts,
      hasFallback: fallbacks.length > 0,
    })
    if (port.modelId === model) return port
  } catch (failure) {
    throw failure instanceof PlatformError ? refuse(endSentence(failure.message)) : failure
  }
  throw refuse(`The provider ${provider} has one model: ${provider}/offline.`)
}

const endSentence = (text: string): string => text.replace(/[^.?!]$/, '$&.')
