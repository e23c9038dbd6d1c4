import { setTimeout as sleep } from 'node:timers/promises'
import { PlatformError, type TurnError, TurnErrorCode } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import { type EmbeddingModel, createEmbedder, noEmbeddingsError } from './embed/create-embedder.ts'
import { knownModel } from './models/known-model.ts'
import { listModels } from './models/list-models.ts'
import { type RetryHost, createCoolDowns, withRetry } from './retry/with-retry.ts'
import { type ProviderSettings, checkProvider, findProvider } from './settings.ts'
import { streamAttempt } from './stream/stream-attempt.ts'
import type { Patience } from './stream/watchdog.ts'
import type { BuiltInVendor, ListedModel, Provider } from './vendors/vendor.ts'
import { VENDORS } from './vendors/vendors.ts'

export interface Providers {
  /** Throws `config_invalid` if the provider is unknown or its settings are invalid. */
  modelOf(provider: string, model: string, options?: ModelOptions): ModelPort
  /** Throws like `modelOf`, and if the provider has no embedding models. */
  embedderOf(provider: string, model: string): EmbeddingModel
  /** Throws a `PlatformError` with the failure's code. */
  listModels(provider: string, signal: AbortSignal): Promise<readonly ListedModel[]>
  /** Tests key and address by listing the models, which is free. */
  test(provider: string, signal: AbortSignal): Promise<ProviderTest>
  /** The end of a failed model's cool-down, in milliseconds since 1970. */
  coolsUntil(provider: string, model: string): number | undefined
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
export interface ProvidersHost extends Pick<RetryHost, 'now' | 'random' | 'sleep'> {
  readonly patience: Patience
}

const MAX_ATTEMPTS = 4
const MAX_ATTEMPTS_BEFORE_FALLBACK = 2

const PATIENCE: Patience = { firstByteMs: 60_000, idleMs: 60_000 }
/** A local server may have to load its model first. */
const LOCAL_FIRST_BYTE_MS = 300_000
const LISTING_MS = 15_000

const MACHINE: Omit<ProvidersHost, 'patience'> = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** The providers of a config. */
export function createProviders(
  settings: readonly ProviderSettings[],
  host: Partial<ProvidersHost> = {},
): Providers {
  const machine = { ...MACHINE, ...host }
  const cooling = createCoolDowns(machine.now)
  const listing = { now: machine.now, listingMs: host.patience?.firstByteMs ?? LISTING_MS }

  const find = (name: string): Provider | { readonly vendor: BuiltInVendor } => {
    const configured = findProvider(settings, name)
    return configured.kind === 'offline'
      ? { vendor: VENDORS.offline }
      : checkProvider(configured, configured.kind)
  }

  const list = async (name: string, signal: AbortSignal): Promise<readonly ListedModel[]> => {
    const provider = find(name)
    return isBuiltIn(provider) ? provider.vendor.models : listModels(provider, signal, listing)
  }

  return {
    listModels: list,

    modelOf(name, modelId, { hasFallback = false, maxAttempts = maxAttemptsFor(hasFallback) } = {}) {
      const provider = find(name)
      if (isBuiltIn(provider)) return { ...provider.vendor.open(), provider: name }
      const patience = host.patience ?? patienceFor(provider)
      const attempt = { provider, modelId, patience, now: machine.now }
      return {
        provider: name,
        modelId,
        ...knownModel(provider, modelId),
        stream: withRetry(
          keyOf(name, modelId),
          (request, signal) => streamAttempt(attempt, request, signal),
          { ...machine, maxAttempts, waitsForCoolDown: !hasFallback, coolDowns: cooling },
        ),
      }
    },

    embedderOf(name, modelId) {
      const provider = find(name)
      if (isBuiltIn(provider)) throw noEmbeddingsError(name)
      const patience = host.patience ?? patienceFor(provider)
      return createEmbedder(provider, modelId, {
        ...machine,
        patience,
        // Without vectors, search falls back to words.
        maxAttempts: MAX_ATTEMPTS_BEFORE_FALLBACK,
        waitsForCoolDown: false,
        coolDowns: cooling,
      })
    },

    coolsUntil: (name, modelId) => cooling.untilOf(keyOf(name, modelId)),

    async test(name, signal) {
      const startedAt = performance.now()
      const latencyMs = () => Math.round(performance.now() - startedAt)
      try {
        const models = await list(name, signal)
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

const keyOf = (provider: string, model: string) => JSON.stringify([provider, model])

const maxAttemptsFor = (hasFallback: boolean) => (hasFallback ? MAX_ATTEMPTS_BEFORE_FALLBACK : MAX_ATTEMPTS)

const isBuiltIn = (
  provider: Provider | { readonly vendor: BuiltInVendor },
): provider is { readonly vendor: BuiltInVendor } => provider.vendor.transport === 'built-in'

const patienceFor = ({ vendor, isLocal }: Provider): Patience =>
  vendor.isSelfHosted && isLocal ? { ...PATIENCE, firstByteMs: LOCAL_FIRST_BYTE_MS } : PATIENCE
