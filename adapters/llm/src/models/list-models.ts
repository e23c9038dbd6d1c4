import { PlatformError } from '@parley/contracts'
import { toProviderFailure } from '../failure/to-provider-failure.ts'
import { UnexpectedResponseError, createUnavailableFailure } from '../failure/provider-failure.ts'
import { startWatchdog, createWatchedFetch } from '../stream/watched-fetch.ts'
import type { ListedModel, ModelList, ModelPage, Provider } from '../vendors/vendor.ts'

const MAX_PAGES = 20
const MAX_BYTES = 8 * 1024 * 1024

/** Lists a provider's models. Throws a `PlatformError` with the code of the failure. */
export async function listModels(
  provider: Provider,
  signal: AbortSignal,
  host: { readonly listingMs: number; now(): number },
): Promise<readonly ListedModel[]> {
  const models: ListedModel[] = []
  const patience = { firstByteMs: host.listingMs, idleMs: host.listingMs }
  const watchdog = startWatchdog(patience, MAX_BYTES, signal)
  try {
    let after: string | undefined
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const response = await createWatchedFetch(watchdog)(createModelsUrl(provider, after), {
        headers: provider.apiKey ? provider.vendor.models.headers(provider.apiKey) : {},
        signal: watchdog.signal,
      })
      const body = await response.text()
      if (!response.ok) throw toStatusError(response, body)
      const { items, next } = provider.vendor.models.readPage(body)
      models.push(...items)
      if (next === undefined || next === after) break
      after = next
    }
    return models
  } catch (thrown) {
    signal.throwIfAborted()
    const { error } =
      watchdog.reason === undefined
        ? toProviderFailure(thrown, { provider, now: host.now() })
        : createUnavailableFailure(`${provider.name} did not list its models in time.`)
    throw new PlatformError(error.code, {
      provider: provider.name,
      message: error.message,
      retryable: error.retryable,
    })
  } finally {
    watchdog.stop()
  }
}

function createModelsUrl({ baseUrl, vendor }: Provider, after: string | undefined): URL {
  const url = new URL(`${baseUrl}/models`)
  for (const [name, value] of Object.entries(vendor.models.query?.(after) ?? {}))
    url.searchParams.set(name, value)
  return url
}

const toStatusError = ({ status, headers }: Response, responseBody: string) =>
  Object.assign(new Error(`status ${status}`), {
    statusCode: status,
    responseBody,
    responseHeaders: Object.fromEntries(headers),
  })

/** Reads a page in the format of most vendors. Skips entries without a model name. */
export function readModelPage(body: string): ModelPage {
  const page = toFields(parseListing(body))
  // A server without models may send null instead of a list.
  const isEmpty = page.data === null && page.object === 'list'
  const entries = isEmpty ? [] : toEntries(page.data)
  return toPage(entries.flatMap(readEntry), page.has_more === true ? page.last_id : undefined)
}

/** The list of OpenAI, which many other servers imitate. */
export const OPENAI_MODEL_LIST: ModelList = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  readPage: readModelPage,
}

/** Reads a page in Google's format. */
export function readGoogleModelPage(body: string): ModelPage {
  const page = toFields(parseListing(body))
  return toPage(toEntries(page.models).flatMap(readGoogleEntry), page.nextPageToken)
}

type ListingFields = Readonly<Record<string, unknown>>

function parseListing(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new UnexpectedResponseError()
  }
}

const toFields = (value: unknown): ListingFields =>
  typeof value === 'object' && value !== null ? { ...value } : {}

function toEntries(list: unknown): readonly ListingFields[] {
  if (!Array.isArray(list)) throw new UnexpectedResponseError()
  return list.map(toFields)
}

const toPage = (items: readonly ListedModel[], next: unknown): ModelPage =>
  typeof next === 'string' && next !== '' ? { items, next } : { items }

const readEntry = ({ id, display_name: name, max_input_tokens: window }: ListingFields) =>
  toListedModel(id, name, window)

function readGoogleEntry({
  name,
  displayName,
  inputTokenLimit,
  supportedGenerationMethods: methods,
}: ListingFields) {
  const canChat = !Array.isArray(methods) || methods.includes('generateContent')
  if (typeof name !== 'string' || !canChat) return []
  return toListedModel(name.replace(/^models\//, ''), displayName, inputTokenLimit)
}

function toListedModel(id: unknown, name: unknown, window: unknown): readonly ListedModel[] {
  if (!isOneLine(id)) return []
  return [
    { id, ...(isOneLine(name) && { name }), ...(typeof window === 'number' && { contextWindow: window }) },
  ]
}

/** One line without control characters, which could manipulate a terminal. */
const isOneLine = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)
