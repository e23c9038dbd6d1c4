import { isIPv4 } from 'node:net'
import { nearest, PlatformError } from '@parley/contracts'
import type { Price } from '@parley/engine'

export type ProviderKind = 'anthropic' | 'openai' | 'google' | 'openai-compatible' | 'offline'

/** A provider as the person's config names it. */
export interface ProviderSettings {
  readonly name: string
  readonly kind: ProviderKind
  readonly baseUrl?: string
  readonly apiKey?: string
  /** Where the key is looked for, such as the name of a variable; told where it is missing. */
  readonly apiKeyName?: string
  /**
   * What the person knows better of a model than our tables. Where nobody knows its price, a model of a server on
   * this machine is free only if the provider has no key: with one, the server may pass it on to a paid API.
   */
  readonly models?: Readonly<Record<string, ModelFacts>>
}

export interface ModelFacts {
  readonly contextWindow?: number
  readonly price?: Price
}

export type VendorKind = Exclude<ProviderKind, 'offline'>

/** A provider that was checked: it has an address, and a key where it needs one. */
export interface Provider {
  readonly name: string
  readonly kind: VendorKind
  readonly baseUrl: string
  readonly isLocal: boolean
  readonly apiKey?: string
  readonly models: Readonly<Record<string, ModelFacts>>
}

const BASE_URLS: Record<VendorKind, string | undefined> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': undefined,
}

export function findProvider(settings: readonly ProviderSettings[], name: string): ProviderSettings {
  const found = settings.find((provider) => provider.name === name)
  if (found) return found
  const names = settings.map((provider) => provider.name)
  const meant = nearest(name, names)
  const hint = meant
    ? `did you mean ${meant}?`
    : `known are ${names.join(', ') || 'none'}; add it to the config`
  throw invalid(name, `There is no provider named ${name}: ${hint}`)
}

/** Throws `config_invalid` where it cannot work. */
export function checkProvider(settings: ProviderSettings, kind: VendorKind): Provider {
  const { name, apiKey, models = {} } = settings
  const { baseUrl, isLocal } = checkBaseUrl(settings, kind)
  if (!apiKey && kind !== 'openai-compatible') {
    const where = settings.apiKeyName ? `set ${settings.apiKeyName}` : 'give it one in the config'
    throw invalid(name, `The provider ${name} has no API key: ${where}.`)
  }
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) {
    const where = settings.apiKeyName ?? 'its value'
    throw invalid(
      name,
      `The API key of the provider ${name} holds spaces or other signs that no key has: check ${where}.`,
    )
  }
  return { name, kind, baseUrl, isLocal, models, ...(apiKey && { apiKey }) }
}

function checkBaseUrl({ name, baseUrl }: ProviderSettings, kind: VendorKind) {
  const written = baseUrl ?? BASE_URLS[kind]
  if (!written) {
    throw invalid(
      name,
      `The provider ${name} needs a base_url, such as http://127.0.0.1:11434/v1 for a local server.`,
    )
  }
  const url = URL.parse(written)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid(
      name,
      `The base_url of the provider ${name} is not an http or https address: check its spelling.`,
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalid(
      name,
      `The base_url of the provider ${name} holds a user, a query or a fragment: give the plain address, and the key as the API key.`,
    )
  }
  const isLocal = isLoopback(url.hostname)
  if (url.protocol === 'http:' && !isLocal) {
    throw invalid(
      name,
      `The base_url of the provider ${name} is plain http to ${url.hostname}, which would send the key and what is said unprotected: use https, or an address of this machine.`,
    )
  }
  return { baseUrl: url.href.replace(/\/+$/, ''), isLocal }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))

const invalid = (provider: string, message: string): PlatformError =>
  new PlatformError('config_invalid', { provider, message })
