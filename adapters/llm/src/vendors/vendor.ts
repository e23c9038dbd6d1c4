import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Provider } from '../settings.ts'

/** What differs between the vendors, beyond their wire formats. */
export interface Vendor {
  /** Under which name the vendor's library gives and takes what is its own. */
  readonly namespace: string
  readonly media: readonly MediaRule[]
  /** Takes media within the result of a call; others are shown them in a message after it. */
  readonly mediaInResults?: true
  /** Options that every request has. */
  readonly options: SharedV4ProviderOptions
  /** Options of a request that asks for reasoning. */
  readonly thinkingOptions?: SharedV4ProviderOptions
  /** Put on the system prompt and the latest messages, where the vendor wants to be told what to keep. */
  readonly keepPrompt?: SharedV4ProviderOptions
  /** Gives no sign of life while its models think, which they may do unasked. */
  readonly thinksSilently?: true
  /** A model that thinks refuses to go on from calls that it did not think about. */
  readonly thinksBeforeCalls?: true
  /** Loads the vendor's library on first use: a start without it is faster. */
  open(provider: Provider, modelId: string, fetch: typeof globalThis.fetch): Promise<LanguageModelV4>
}

/** One model at one provider, and how its vendor is spoken to. */
export interface Target {
  readonly provider: Provider
  readonly vendor: Vendor
  readonly modelId: string
}

export interface MediaRule {
  readonly type: RegExp
  readonly maxBytes: number
}

const MEGABYTE = 1024 * 1024

export const images = (megabytes: number): MediaRule => ({
  type: /^image\/(?:png|jpeg|gif|webp)$/,
  maxBytes: megabytes * MEGABYTE,
})

export const pdf = (megabytes: number): MediaRule => ({
  type: /^application\/pdf$/,
  maxBytes: megabytes * MEGABYTE,
})
