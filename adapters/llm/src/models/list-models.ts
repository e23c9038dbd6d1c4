import { PlatformError } from '@parley/contracts'
import { failureOf } from '../failure/failure-of.ts'
import { unavailable } from '../failure/failure.ts'
import { guardedFetch } from '../stream/guarded-fetch.ts'
import { watchdog } from '../stream/watchdog.ts'
import type { ListedModel, Provider } from '../vendors/vendor.ts'

const MOST_PAGES = 20
const MOST_BYTES = 8 * 1024 * 1024

/** Lists a provider's models. Throws a `PlatformError` with the code of the failure. */
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
        headers: provider.apiKey ? provider.vendor.models.headers(provider.apiKey) : {},
        signal: dog.signal,
      })
      const body = await response.text()
      if (!response.ok) throw refused(response, body)
      const { items, next } = provider.vendor.models.readPage(body)
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

function addressOf({ baseUrl, vendor }: Provider, after: string | undefined): URL {
  const url = new URL(`${baseUrl}/models`)
  for (const [name, value] of Object.entries(vendor.models.query(after))) url.searchParams.set(name, value)
  return url
}

const refused = ({ status, headers }: Response, responseBody: string) =>
  Object.assign(new Error(`status ${status}`), {
    statusCode: status,
    responseBody,
    responseHeaders: Object.fromEntries(headers),
  })
