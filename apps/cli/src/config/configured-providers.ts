import { BaseUrl, PlatformError, PROVIDER_KINDS, type ProviderConfig, ProviderKind } from '@parley/contracts'
import type { ModelFacts, ProviderSettings, Providers } from '@parley/llm'
import type { Environment } from '../environment.ts'
import { type MergedConfig, splitModel } from './merge-config.ts'

export interface ConfiguredProvider extends ProviderSettings {
  readonly source: string
}

/** All providers: from the config, by a default key variable, and the offline one. */
export function listProviders(
  { providers, sources }: Pick<MergedConfig, 'providers' | 'sources'>,
  { variable }: Pick<Environment, 'variable'>,
): readonly ConfiguredProvider[] {
  const byVariable = ProviderKind.options.flatMap((kind) => {
    const key = PROVIDER_KINDS[kind].keyVariable
    const isNew = providers[kind] === undefined && key !== undefined && variable(key) !== undefined
    return isNew ? [{ ...toProvider(kind, { kind }, variable), source: key }] : []
  })
  const configured = Object.entries(providers).map(([name, provider]) => ({
    ...toProvider(name, provider, variable),
    source: sources[`providers.${name}`] ?? '',
  }))
  return [...configured, ...byVariable, OFFLINE]
}

const OFFLINE: ConfiguredProvider = { name: 'offline', kind: 'offline', source: 'built in' }

function toProvider(name: string, config: ProviderConfig, variable: Environment['variable']) {
  const { kind, base_url, api_key_env = PROVIDER_KINDS[kind].keyVariable, models } = config
  const baseUrl = readBaseUrl(name, kind, variable) ?? base_url
  const apiKey = api_key_env === undefined ? undefined : variable(api_key_env)
  return {
    name,
    kind,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(api_key_env !== undefined && { apiKeyName: api_key_env }),
    ...(models && { models: toModelFacts(models) }),
  }
}

/** Base URL variables that vendor tools also read; they apply to the provider named like the vendor. */
function readBaseUrl(
  name: string,
  kind: ProviderKind,
  variable: Environment['variable'],
): string | undefined {
  const variableName = name === kind ? PROVIDER_KINDS[kind].baseUrlVariable : undefined
  const url = variableName === undefined ? undefined : variable(variableName)
  if (url === undefined) return undefined
  const parsed = BaseUrl.safeParse(url)
  if (parsed.success) return parsed.data
  throw new PlatformError('config_invalid', {
    message: `The environment variable ${variableName} must be ${parsed.error.issues[0]?.message}.`,
    fix: `Set ${variableName} to a valid value, or unset it.`,
    variable: variableName,
  })
}

const toModelFacts = (models: NonNullable<ProviderConfig['models']>): Readonly<Record<string, ModelFacts>> =>
  Object.fromEntries(
    Object.entries(models).map(([id, { context_window, price }]) => [
      id,
      {
        ...(context_window !== undefined && { contextWindow: context_window }),
        ...(price && {
          price: {
            input: price.input,
            output: price.output,
            ...(price.cached_input !== undefined && { cachedInput: price.cached_input }),
            ...(price.cache_write !== undefined && { cacheWrite: price.cache_write }),
          },
        }),
      },
    ]),
  )

export function describeKeyState({ apiKey, apiKeyName }: ConfiguredProvider): string {
  if (apiKeyName === undefined) return 'no key needed'
  return apiKey === undefined ? `${apiKeyName} missing` : `${apiKeyName} set`
}

export const isUsable = ({ apiKey, apiKeyName }: ConfiguredProvider): boolean =>
  apiKeyName === undefined || apiKey !== undefined

/** The embedding model, the same for chunks in the worker and questions in the server. */
export const openLearningEmbedder = (config: MergedConfig, providers: readonly ConfiguredProvider[]) =>
  openConfigured('embedding_model', config, providers, (all, provider, model) =>
    all.openEmbeddingModel(provider, model),
  )

/** The offline model only quotes and extracts no facts. */
export const openLearningModel = (config: MergedConfig, providers: readonly ConfiguredProvider[]) =>
  openConfigured('model', config, providers, (all, provider, model) =>
    provider === 'offline' ? undefined : all.openModel(provider, model),
  )

const WITHOUT = {
  model: 'built-in rules extract the facts and write the narrative',
  embedding_model: 'search uses keywords only',
} as const

async function openConfigured<Model>(
  key: keyof typeof WITHOUT,
  { learning }: MergedConfig,
  providers: readonly ConfiguredProvider[],
  open: (providers: Providers, provider: string, model: string) => Model,
): Promise<Model | undefined> {
  const reference = learning[key]
  if (reference === undefined) return undefined
  const { provider, model } = splitModel(reference)
  const { createProviders } = await import('@parley/llm')
  try {
    return open(createProviders(providers), provider, model)
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    throw new PlatformError('config_invalid', {
      message: `learning.${key} is ${reference}, which is not available. ${failure.message}`,
      fix: `\`parley providers\` lists the providers; without learning.${key}, ${WITHOUT[key]}.`,
    })
  }
}
