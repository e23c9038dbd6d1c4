import { PlatformError } from '@parley/contracts'
import { failureOf } from '../failure/failure-of.ts'
import { unavailable } from '../failure/failure.ts'
import type { Provider, VendorKind } from '../settings.ts'
import { guardedFetch } from '../stream/guarded-fetch.ts'
import { watchdog } from '../stream/watchdog.ts'
import { type ListedModel, pageOf } from './model-page.ts'

const MOST_PAGES = 20
const MOST_BYTES = 8 * 1024 * 1024

/** The models that a provider says it has. Throws a `PlatformError` with the code of what went wrong. */
export async function listModels(
  provider: Provider,
  signal: AbortSignal,
  host: { readonly listingMs: number; now(): number },
): Promise<readonly ListedModel[]> {
  const models: ListedModel[] = []
  const patience = { firstByteMs: host.listingMs, idleMs: host.listingMs }
  const dog = watchdog(patience, MOST_BYTES, signal)
  try {
    let after: string | undefined
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const response = await guardedFetch(dog)(addressOf(provider, after), {
        headers: headersOf(provider),
        signal: dog.signal,
      })
      const body = await response.text()
      if (!response.ok) throw refused(response, body)
      const { items, next } = pageOf(provider.kind, body)
      models.push(...items)
      if (next === undefined || next === after) break
      after = next
    }
    return models
  } catch (thrown) {
    signal.throwIfAborted()
    const { error } =
      dog.verdict === undefined
        ? failureOf(thrown, { provider, now: host.now() })
        : unavailable(`${provider.name} did not list its models in time.`)
    throw new PlatformError(error.code, {
      provider: provider.name,
      message: error.message,
      retryable: error.retryable,
    })
  } finally {
    dog.stop()
  }
}

const PAGING: Record<VendorKind, (after: string | undefined) => Readonly<Record<string, string>>> = {
  anthropic: (after) => ({ limit: '1000', ...(after && { after_id: after }) }),
  google: (after) => ({ pageSize: '1000', ...(after && { pageToken: after }) }),
  openai: () => ({}),
  'openai-compatible': () => ({}),
}

function addressOf({ baseUrl, kind }: Provider, after: string | undefined): URL {
  const url = new URL(`${baseUrl}/models`)
  for (const [name, value] of Object.entries(PAGING[kind](after))) url.searchParams.set(name, value)
  return url
}

function headersOf({ kind, apiKey }: Provider): Record<string, string> {
  if (!apiKey) return {}
  if (kind === 'anthropic') return { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
  return kind === 'google' ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}

const refused = ({ status, headers }: Response, responseBody: string) =>
  Object.assign(new Error(`status ${status}`), {
    statusCode: status,
    responseBody,
    responseHeaders: Object.fromEntries(headers),
  })
