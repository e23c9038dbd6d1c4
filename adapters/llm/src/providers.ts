import { setTimeout as pause } from 'node:timers/promises'
import { type Agent, PlatformError, type TurnError, TurnErrorCode } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import {
  type EmbeddingModel,
  createEmbeddingModel,
  createNoEmbeddingsError,
} from './embed/create-embedding-model.ts'
import { findModelFacts } from './models/find-model-facts.ts'
import { listModels } from './models/list-models.ts'
import { type RetryHost, createCoolDowns, withRetry } from './retry/with-retry.ts'
import { type ProviderSettings, createProvider, findProvider } from './settings.ts'
import { streamAttempt } from './stream/stream-attempt.ts'
import type { Patience } from './stream/watched-fetch.ts'
import type { BuiltInVendor, ListedModel, Provider } from './vendors/vendor.ts'
import { VENDORS } from './vendors/vendors.ts'

export interface Providers {
  /** Throws `config_invalid` if the provider is unknown or its settings are invalid. */
  openModel(provider: string, model: string, options?: ModelOptions): ModelPort
  /** Throws like `openModel`, and if the provider has no embedding models. */
  openEmbeddingModel(provider: string, model: string): EmbeddingModel
  /** Throws a `PlatformError` with the failure's code. */
  listModels(provider: string, signal: AbortSignal): Promise<readonly ListedModel[]>
  /** Tests key and address by listing the models, which is free. */
  test(provider: string, signal: AbortSignal): Promise<ProviderTest>
  /** The end of a failed model's cool-down, in milliseconds since 1970. */
  findCoolDownEnd(provider: string, model: string): number | undefined
}

export interface ModelOptions {
  readonly maxAttempts?: number | undefined
  /** With a fallback, fewer attempts are made. */
  readonly hasFallback?: boolean
}

export type ProviderTest =
  | { readonly kind: 'ok'; readonly latencyMs: number; readonly modelCount: number }
  | { readonly kind: 'failed'; readonly latencyMs: number; readonly error: TurnError }

/** Clock, randomness and timeouts. */
export interface ProvidersHost extends Pick<RetryHost, 'now' | 'random' | 'pause'> {
  readonly patience: Patience
}

const MAX_ATTEMPTS = 4
const MAX_ATTEMPTS_BEFORE_FALLBACK = 2

const PATIENCE: Patience = { firstByteMs: 60_000, idleMs: 60_000 }
/** A local server may have to load its model first. */
const LOCAL_FIRST_BYTE_MS = 300_000
const LISTING_MS = 15_000

const SYSTEM_HOST: Omit<ProvidersHost, 'patience'> = {
  now: Date.now,
  random: Math.random,
  pause: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
}

/** The providers of a config. */
export function createProviders(
  settings: readonly ProviderSettings[],
  host: Partial<ProvidersHost> = {},
): Providers {
  const fullHost = { ...SYSTEM_HOST, ...host }
  const coolDowns = createCoolDowns(fullHost.now)
  const listing = { now: fullHost.now, listingMs: host.patience?.firstByteMs ?? LISTING_MS }

  const openProvider = (name: string): Provider | { readonly vendor: BuiltInVendor } => {
    const configured = findProvider(settings, name)
    return configured.kind === 'offline'
      ? { vendor: VENDORS.offline }
      : createProvider(configured, configured.kind)
  }

  const listAll = async (name: string, signal: AbortSignal): Promise<readonly ListedModel[]> => {
    const provider = openProvider(name)
    return isBuiltIn(provider) ? provider.vendor.models : listModels(provider, signal, listing)
  }

  return {
    listModels: listAll,

    openModel(name, modelId, { hasFallback = false, maxAttempts = chooseMaxAttempts(hasFallback) } = {}) {
      const provider = openProvider(name)
      if (isBuiltIn(provider)) return { ...provider.vendor.open(), provider: name }
      const patience = host.patience ?? choosePatience(provider)
      const attempt = { provider, modelId, patience, now: fullHost.now }
      return {
        provider: name,
        modelId,
        ...findModelFacts(provider, modelId),
        stream: withRetry(
          toModelKey(name, modelId),
          (request, signal) => streamAttempt(attempt, request, signal),
          { ...fullHost, maxAttempts, waitsForCoolDown: !hasFallback, coolDowns },
        ),
      }
    },

    openEmbeddingModel(name, modelId) {
      const provider = openProvider(name)
      if (isBuiltIn(provider)) throw createNoEmbeddingsError(name)
      const patience = host.patience ?? choosePatience(provider)
      return createEmbeddingModel(provider, modelId, {
        ...fullHost,
        patience,
        // Without vectors, search falls back to words.
        maxAttempts: MAX_ATTEMPTS_BEFORE_FALLBACK,
        waitsForCoolDown: false,
        coolDowns,
      })
    },

    findCoolDownEnd: (name, modelId) => coolDowns.findEnd(toModelKey(name, modelId)),

    async test(name, signal) {
      const startedAt = performance.now()
      const latencyMs = () => Math.round(performance.now() - startedAt)
      try {
        const models = await listAll(name, signal)
        return { kind: 'ok', latencyMs: latencyMs(), modelCount: models.length }
      } catch (thrown) {
        const code = TurnErrorCode.safeParse(thrown instanceof PlatformError && thrown.code)
        if (!(thrown instanceof PlatformError) || !code.success) throw thrown
        const retryable = thrown.detail.retryable === true
        return {
          kind: 'failed',
          latencyMs: latencyMs(),
          error: { code: code.data, message: thrown.message, retryable },
        }
      }
    },
  }
}

const toModelKey = (provider: string, model: string) => JSON.stringify([provider, model])

const chooseMaxAttempts = (hasFallback: boolean) =>
  hasFallback ? MAX_ATTEMPTS_BEFORE_FALLBACK : MAX_ATTEMPTS

const isBuiltIn = (
  provider: Provider | { readonly vendor: BuiltInVendor },
): provider is { readonly vendor: BuiltInVendor } => provider.vendor.transport === 'built-in'

const choosePatience = ({ vendor, isLocal }: Provider): Patience =>
  vendor.isSelfHosted && isLocal ? { ...PATIENCE, firstByteMs: LOCAL_FIRST_BYTE_MS } : PATIENCE

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
