import { findNearest, isLoopbackHost, PlatformError } from '@parley/contracts'
import type { HttpVendor, ModelFacts, Provider } from './vendors/vendor.ts'
import { type VendorKind, VENDORS } from './vendors/vendors.ts'

/** A provider from the person's config. */
export interface ProviderSettings {
  readonly name: string
  readonly kind: VendorKind
  readonly baseUrl?: string
  readonly apiKey?: string
  /** The variable for the key, for the error message if the key is missing. */
  readonly apiKeyName?: string
  /**
   * The person's facts about a model override our tables. If its price is unknown, a model on this machine is free
   * only if the provider has no key: with a key, the server may call a paid API.
   */
  readonly models?: Readonly<Record<string, ModelFacts>>
}

export function findProvider(settings: readonly ProviderSettings[], name: string): ProviderSettings {
  const provider = settings.find((each) => each.name === name)
  if (provider) return provider
  const names = settings.map((each) => each.name)
  const meant = findNearest(name, names)
  const hint = meant
    ? `did you mean ${meant}?`
    : `known providers are ${names.join(', ') || 'none'}; add it to the config`
  throw createSettingsError(name, `There is no provider named ${name}: ${hint}`)
}

/** Throws `config_invalid` for settings that cannot work. */
export function createProvider(settings: ProviderSettings, kind: Provider['kind']): Provider {
  const { name, apiKey, models = {} } = settings
  const vendor = VENDORS[kind]
  const { baseUrl, isLocal } = checkBaseUrl(settings, vendor)
  if (!apiKey && vendor.needsKey) {
    const where = settings.apiKeyName ? `set ${settings.apiKeyName}` : 'set one in the config'
    throw createSettingsError(name, `The provider ${name} has no API key: ${where}.`)
  }
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) {
    const where = settings.apiKeyName ?? 'its value'
    throw createSettingsError(
      name,
      `The API key of the provider ${name} contains spaces or other invalid characters: check ${where}.`,
    )
  }
  return { name, kind, vendor, baseUrl, isLocal, models, ...(apiKey && { apiKey }) }
}

function checkBaseUrl({ name, baseUrl }: ProviderSettings, vendor: HttpVendor) {
  const written = baseUrl ?? vendor.baseUrl
  if (!written) {
    throw createSettingsError(
      name,
      `The provider ${name} needs a base_url, such as http://127.0.0.1:11434/v1 for a local server.`,
    )
  }
  const url = URL.parse(written)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw createSettingsError(
      name,
      `The base_url of the provider ${name} is not an http or https address: check its spelling.`,
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw createSettingsError(
      name,
      `The base_url of the provider ${name} contains a user, a query or a fragment: use the plain address, and set the key as the API key.`,
    )
  }
  const isLocal = isLoopbackHost(url.hostname)
  if (url.protocol === 'http:' && !isLocal) {
    throw createSettingsError(
      name,
      `The base_url of the provider ${name} uses plain http to ${url.hostname}, which would expose the key and the conversation: use https, or an address of this machine.`,
    )
  }
  return { baseUrl: url.href.replace(/\/+$/, ''), isLocal }
}

const createSettingsError = (provider: string, message: string): PlatformError =>
  new PlatformError('config_invalid', { provider, message })
