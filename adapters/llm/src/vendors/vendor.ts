import type { EmbeddingModelV4, LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ProviderKind } from '@parley/contracts'
import type { ModelPort, Price } from '@parley/engine'

/** Everything that differs between the kinds of providers. One record per kind, in `vendors.ts`. */
export type Vendor = HttpVendor | BuiltInVendor

/** Runs in this process: no address, no key, no network. */
export interface BuiltInVendor {
  readonly transport: 'built-in'
  readonly models: readonly ListedModel[]
  open(): ModelPort
}

/** Answers over HTTP. */
export interface HttpVendor {
  readonly transport: 'http'
  /** The name in error messages. */
  readonly title: string
  /** The address of the vendor itself. Without it, the settings must name one. */
  readonly baseUrl?: string
  readonly needsKey: boolean
  /** People run it themselves: on this machine and without a key it is free, and it may load its model first. */
  readonly isSelfHosted?: true
  readonly prices?: PriceList
  readonly models: ModelList
  readonly failures?: FailurePatterns
  readonly languageModel: LanguageModelSupport
  /** Absent if the vendor has no embedding models. */
  readonly openEmbeddingModel?: OpenModel<EmbeddingModelV4>
}

/** How `GET {baseUrl}/models` is called and read. */
export interface ModelList {
  headers(apiKey: string): Record<string, string>
  /** The query of one page; `after` is the previous page's `next`. Absent if the list has one page. */
  query?(after: string | undefined): Readonly<Record<string, string>>
  /** Throws `UnexpectedResponseError` if the body is no such list. */
  readPage(body: string): ModelPage
}

export interface ModelPage {
  readonly items: readonly ListedModel[]
  readonly next?: string
}

export interface ListedModel {
  readonly id: string
  readonly name?: string
  readonly contextWindow?: number
}

/** Failures that only some vendors report in their own way; the rest is shared, in `to-provider-failure.ts`. */
export interface FailurePatterns {
  /** The body of a 400 that means a bad key. */
  readonly badKey?: RegExp
  /** The body of a refusal; captures the seconds to wait. */
  readonly retryDelay?: RegExp
  /** The library's message for an answer that it could not read. */
  readonly unreadable?: RegExp
  /** The library's message for an answer in another vendor's format, and the kind that reads it. */
  readonly otherKind?: { readonly pattern: RegExp; readonly kind: ProviderKind }
}

/** What differs between the vendors' language models, beyond their wire formats. */
export interface LanguageModelSupport {
  /** The vendor's library reads and writes its own options under this name. */
  readonly optionsKey: string
  readonly media: readonly MediaRule[]
  /** Takes media within a tool result; others get them in a message after it. */
  readonly mediaInResults?: true
  /** What the library reports with a part and the vendor must get back, by the library's names. */
  readonly signatureKeys: { readonly reasoning: readonly string[]; readonly text: readonly string[] }
  /** Options of every request. */
  readonly options?: SharedV4ProviderOptions
  /** Options of a request that asks for reasoning. */
  readonly thinkingOptions?: SharedV4ProviderOptions
  /** Put on the system prompt and the latest messages, for a vendor that caches only marked messages. */
  readonly cacheMark?: SharedV4ProviderOptions
  /** Sends nothing while its models think, which they may do unasked. */
  readonly thinksSilently?: true
  /** A model that thinks refuses to continue from calls that it did not think about. */
  readonly thinksBeforeCalls?: true
  readonly open: OpenModel<LanguageModelV4>
}

/** Loads the vendor's library on first use: a start without it is faster. */
export type OpenModel<Model> = (
  provider: Provider,
  modelId: string,
  fetch: typeof globalThis.fetch,
) => Promise<Model>

/** A provider with checked settings: it has an address, and a key where it needs one. */
export interface Provider {
  readonly name: string
  readonly kind: ProviderKind
  readonly vendor: HttpVendor
  readonly baseUrl: string
  readonly isLocal: boolean
  readonly apiKey?: string
  readonly models: Readonly<Record<string, ModelFacts>>
}

/** One model at one provider. */
export interface ModelTarget {
  readonly provider: Provider
  readonly modelId: string
}

export interface ModelFacts {
  readonly contextWindow?: number
  readonly price?: Price
}

/** A vendor's prices on a day, in dollars per million tokens, as vendors write them. */
export interface PriceList {
  readonly asOf: string
  readonly source: string
  readonly models: Readonly<Record<string, ListedPrice>>
}

/** The price holds within this context window: some vendors charge more for longer requests. */
export interface ListedPrice {
  readonly contextWindow: number
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
}

export const toListedPrice = (
  contextWindow: number,
  input: number,
  cachedInput: number,
  output: number,
): ListedPrice => ({ contextWindow, input, cachedInput, output })

interface MediaRule {
  readonly type: RegExp
  readonly maxBytes: number
}

const MEGABYTE = 1024 * 1024

export const allowImages = (megabytes: number): MediaRule => ({
  type: /^image\/(?:png|jpeg|gif|webp)$/,
  maxBytes: megabytes * MEGABYTE,
})

export const allowPdf = (megabytes: number): MediaRule => ({
  type: /^application\/pdf$/,
  maxBytes: megabytes * MEGABYTE,
})
