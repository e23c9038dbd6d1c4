import { toolInput, type WebSearchConfig, WebSearchInput } from '@parley/contracts'
import { type Plan, refuse, type Refusal, type Tool, type ToolText } from '@parley/engine'
import { namesSecret } from '../fill-secrets.ts'
import type { SecretOf, ToolPolicy } from '../tool-policy.ts'
import { checkUrl, type Reach } from './check-url.ts'
import { configuredHeaders } from './configured-headers.ts'
import { createGuardedFetch } from './create-guarded-fetch.ts'
import type { DialOptions } from './dial.ts'
import { HTTP_LIMITS, type HttpLimits } from './http-limits.ts'
import { readBounded } from './read-bounded.ts'
import { requestFailure } from './request-failure.ts'
import { searchResults } from './search-results.ts'

export interface SearchOptions extends DialOptions {
  readonly config: NonNullable<ToolPolicy['webSearch']>
  readonly secretOf: SecretOf
  readonly limits?: Partial<HttpLimits> | undefined
}

/** Asks the search service of the person's config, which alone may be on this machine. */
export function webSearch({ config, secretOf, limits, ...dialOptions }: SearchOptions): Tool<WebSearchInput> {
  const { origin, hostname, host } = new URL(config.url)
  const reach: Reach = { allowedHosts: [hostname], ...(config.isOwn && { allowLoopback: origin }) }
  const guardedFetch = createGuardedFetch({ ...reach, ...dialOptions, limits })
  const bounds = { ...HTTP_LIMITS, ...limits }

  async function search(url: URL, most: number, signal: AbortSignal): Promise<ToolText> {
    const configured = configuredHeaders(config.headers, secretOf)
    if (configured.kind === 'missing') return failed(configured.why, 'tool_unavailable')
    const headers = { accept: 'application/json', 'user-agent': 'Parley', ...configured.headers }
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(bounds.wholeMs)])
    try {
      const response = await guardedFetch(url, { headers, signal: inTime })
      const read = await readBounded(response, bounds.textBytes)
      if (!response.ok)
        return failed(`${host} answers with the status ${response.status}. ${MEND[config.kind]}`)
      if (read.kind === 'too-large')
        return failed(`${host} answers with more than ${bounds.textBytes} bytes.`)
      const results = searchResults(config.kind, new TextDecoder().decode(read.bytes))
      if (!results) return failed(`${host} does not answer as ${config.kind} does. ${MEND[config.kind]}`)
      return { kind: 'ok', text: results.slice(0, most).join('\n\n') || 'Nothing was found.' }
    } catch (failure) {
      signal.throwIfAborted()
      return requestFailure(failure, host)
    }
  }

  return {
    name: 'web_search',
    description: 'Searches the web; gives titles, addresses and excerpts of what is found.',
    input: toolInput(WebSearchInput),
    mayRepeat: true,

    async plan({ query, count = 8 }): Promise<Plan | Refusal> {
      if (namesSecret(query)) return refuse('A search must not name secrets.')
      const checked = checkUrl(searchUrl(config, query, count), reach)
      if (checked.kind === 'refused')
        return refuse(
          `The search service cannot be asked: ${checked.why} ${MEND_URL}`,
          'tool_unavailable',
          host,
        )
      const configured = configuredHeaders(config.headers, secretOf)
      if (configured.kind === 'missing') return refuse(configured.why, 'tool_unavailable', host)
      return {
        kind: 'plan',
        target: host,
        origin: host,
        carryOut: (signal) => search(checked.url, count, signal),
      }
    },
  }
}

const MEND_URL = 'It is set as url under [web_search] in ~/.parley/config.toml.'

const MEND: Readonly<Record<WebSearchConfig['kind'], string>> = {
  searxng: 'Its settings must allow the format json.',
  brave: 'Its key belongs into headers under [web_search] in ~/.parley/config.toml, as X-Subscription-Token.',
}

const failed = (text: string, code: 'tool_failed' | 'tool_unavailable' = 'tool_failed'): ToolText => ({
  kind: 'failed',
  code,
  text,
})

function searchUrl({ kind, url }: WebSearchConfig, query: string, count: number): URL {
  const searched = new URL(kind === 'searxng' ? `${url.replace(/\/+$/, '')}/search` : url)
  searched.searchParams.set('q', query)
  if (kind === 'searxng') searched.searchParams.set('format', 'json')
  else searched.searchParams.set('count', String(count))
  return searched
}
