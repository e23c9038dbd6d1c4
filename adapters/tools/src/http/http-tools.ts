import { type WebSearchConfig, WebSearchInput, createToolInput } from '@parley/contracts'
import { type AnyTool, type Plan, type Refusal, type Tool, type ToolText, refuse } from '@parley/engine'
import { failed } from '../failed.ts'
import { type SecretOf, type ToolPolicy, namesSecret } from '../tool-policy.ts'
import { type Reach, checkUrl } from './check-url.ts'
import { createGuardedFetch } from './create-guarded-fetch.ts'
import type { DialOptions } from './dial.ts'
import { htmlText } from './html-text.ts'
import {
  HTTP_LIMITS,
  type HttpLimits,
  configuredHeaders,
  readBounded,
  requestFailure,
} from './http-exchange.ts'
import { httpRequest } from './http-request.ts'

export interface HttpToolsOptions extends DialOptions {
  readonly policy: Pick<ToolPolicy, 'allowedDomains' | 'httpHeaders' | 'webSearch'>
  readonly secretOf: SecretOf
  readonly limits?: Partial<HttpLimits>
}

/** The web tools that the config allows. */
export function httpTools({ policy, ...options }: HttpToolsOptions): readonly AnyTool[] {
  return [
    ...(policy.allowedDomains.length > 0 ? [httpRequest({ policy, ...options })] : []),
    ...(policy.webSearch ? [webSearch({ config: policy.webSearch, ...options })] : []),
  ]
}

export interface SearchOptions extends DialOptions {
  readonly config: NonNullable<ToolPolicy['webSearch']>
  readonly secretOf: SecretOf
  readonly limits?: Partial<HttpLimits> | undefined
}

/** Queries the configured search service, which may be on this machine if the person's own config names it. */
export function webSearch({ config, secretOf, limits, ...dialOptions }: SearchOptions): Tool<WebSearchInput> {
  const { origin, hostname, host } = new URL(config.url)
  const reach: Reach = { allowedHosts: [hostname], ...(config.isOwn && { allowLoopback: origin }) }
  const guardedFetch = createGuardedFetch({ ...reach, ...dialOptions, limits })
  const bounds = { ...HTTP_LIMITS, ...limits }

  async function search(url: URL, most: number, signal: AbortSignal): Promise<ToolText> {
    const configured = configuredHeaders(config.headers, secretOf)
    if (configured.kind === 'missing') return failed(configured.why, 'tool_unavailable')
    const headers = { accept: 'application/json', 'user-agent': 'Parley', ...configured.headers }
    const timed = AbortSignal.any([signal, AbortSignal.timeout(bounds.wholeMs)])
    try {
      const response = await guardedFetch(url, { headers, signal: timed })
      const read = await readBounded(response, bounds.textBytes)
      if (!response.ok)
        return failed(`${host} returned the status ${response.status}. ${HOW_TO_FIX[config.kind]}`)
      if (read.kind === 'too-large') return failed(`${host} returned more than ${bounds.textBytes} bytes.`)
      const results = parseResults(config.kind, new TextDecoder().decode(read.bytes))
      if (!results)
        return failed(`${host} did not respond as ${config.kind} does. ${HOW_TO_FIX[config.kind]}`)
      return { kind: 'ok', text: results.slice(0, most).join('\n\n') || 'Nothing was found.' }
    } catch (failure) {
      signal.throwIfAborted()
      return requestFailure(failure, host)
    }
  }

  return {
    name: 'web_search',
    description: 'Searches the web; returns titles, addresses and excerpts of the results.',
    input: createToolInput(WebSearchInput),
    mayRepeat: true,

    async plan({ query, count = 8 }): Promise<Plan | Refusal> {
      if (namesSecret(query)) return refuse('A search must not name secrets.')
      const checked = checkUrl(searchUrl(config, query, count), reach)
      if (checked.kind === 'refused')
        return refuse(
          `The search service cannot be used: ${checked.why} ${WHERE_URL_IS_SET}`,
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

const WHERE_URL_IS_SET = 'It is set as url under [web_search] in ~/.parley/config.toml.'

const HOW_TO_FIX: Readonly<Record<WebSearchConfig['kind'], string>> = {
  searxng: 'Its settings must allow the format json.',
  brave: 'Put its key into headers under [web_search] in ~/.parley/config.toml, as X-Subscription-Token.',
}

function searchUrl({ kind, url }: WebSearchConfig, query: string, count: number): URL {
  const searched = new URL(kind === 'searxng' ? `${url.replace(/\/+$/, '')}/search` : url)
  searched.searchParams.set('q', query)
  if (kind === 'searxng') searched.searchParams.set('format', 'json')
  else searched.searchParams.set('count', String(count))
  return searched
}

/** The results, each as title, address and excerpt; undefined if the response has another format. */
function parseResults(kind: WebSearchConfig['kind'], answer: string): readonly string[] | undefined {
  const parsed = parseJson(answer)
  const results = kind === 'searxng' ? fieldOf(parsed, 'results') : fieldOf(fieldOf(parsed, 'web'), 'results')
  // Brave omits this field if it finds nothing.
  if (results === undefined && kind === 'brave' && fieldOf(parsed, 'type') === 'search') return []
  if (!Array.isArray(results)) return undefined
  const excerpt = kind === 'searxng' ? 'content' : 'description'
  return results
    .map((result: unknown) =>
      [textOf(result, 'title'), fieldOf(result, 'url'), textOf(result, excerpt)].filter(isText).join('\n'),
    )
    .filter(isText)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** Services highlight matches with HTML. */
const textOf = (value: unknown, name: string): string => {
  const text = fieldOf(value, name)
  return typeof text === 'string' ? htmlText(text).replaceAll('\n', ' ') : ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
