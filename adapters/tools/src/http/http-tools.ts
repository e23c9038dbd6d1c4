import { type WebSearchConfig, WebSearchInput, createToolInput } from '@parley/contracts'
import {
  type AnyTool,
  type ToolCallPlan,
  type ToolCallRefusal,
  type Tool,
  type RawToolResult,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { type FindSecret, type ToolPolicy, namesSecret } from '../tool-policy.ts'
import { type AllowedTargets, checkUrl } from './check-url.ts'
import { createGuardedFetch } from './create-guarded-fetch.ts'
import type { DialOptions } from './dial.ts'
import { toHtmlText } from './html-text.ts'
import {
  HTTP_LIMITS,
  type HttpLimits,
  fillHeaders,
  readBoundedBody,
  describeRequestFailure,
} from './http-exchange.ts'
import { createHttpRequestTool } from './http-request.ts'

export interface HttpToolsOptions extends DialOptions {
  readonly policy: Pick<ToolPolicy, 'allowedDomains' | 'httpHeaders' | 'webSearch'>
  readonly findSecret: FindSecret
  readonly limits?: Partial<HttpLimits>
}

/** The web tools that the config allows. */
export function createHttpTools({ policy, ...options }: HttpToolsOptions): readonly AnyTool[] {
  return [
    ...(policy.allowedDomains.length > 0 ? [createHttpRequestTool({ policy, ...options })] : []),
    ...(policy.webSearch ? [createWebSearchTool({ config: policy.webSearch, ...options })] : []),
  ]
}

export interface SearchOptions extends DialOptions {
  readonly config: NonNullable<ToolPolicy['webSearch']>
  readonly findSecret: FindSecret
  readonly limits?: Partial<HttpLimits> | undefined
}

/** Queries the configured search service, which may be on this machine if the person's own config names it. */
export function createWebSearchTool({
  config,
  findSecret,
  limits,
  ...dialOptions
}: SearchOptions): Tool<WebSearchInput> {
  const { origin, hostname, host } = new URL(config.url)
  const targets: AllowedTargets = { allowedHosts: [hostname], ...(config.isOwn && { allowLoopback: origin }) }
  const guardedFetch = createGuardedFetch({ ...targets, ...dialOptions, limits })
  const bounds = { ...HTTP_LIMITS, ...limits }

  async function search(url: URL, most: number, signal: AbortSignal): Promise<RawToolResult> {
    const configured = fillHeaders(config.headers, findSecret)
    if (configured.kind === 'missing') return createFailedResult(configured.reason, 'tool_unavailable')
    const headers = { accept: 'application/json', 'user-agent': 'Parley', ...configured.headers }
    const timed = AbortSignal.any([signal, AbortSignal.timeout(bounds.wholeMs)])
    try {
      const response = await guardedFetch(url, { headers, signal: timed })
      const read = await readBoundedBody(response, bounds.textBytes)
      if (!response.ok)
        return createFailedResult(
          `${host} returned the status ${response.status}. ${HOW_TO_FIX[config.kind]}`,
        )
      if (read.kind === 'too-large')
        return createFailedResult(`${host} returned more than ${bounds.textBytes} bytes.`)
      const results = parseResults(config.kind, new TextDecoder().decode(read.bytes))
      if (!results)
        return createFailedResult(
          `${host} did not respond as ${config.kind} does. ${HOW_TO_FIX[config.kind]}`,
        )
      return { kind: 'ok', text: results.slice(0, most).join('\n\n') || 'No results.' }
    } catch (failure) {
      signal.throwIfAborted()
      return describeRequestFailure(failure, host)
    }
  }

  return {
    name: 'web_search',
    description: 'Searches the web; returns titles, addresses and excerpts of the results.',
    input: createToolInput(WebSearchInput),
    mayRepeat: true,

    async plan({ query, count = 8 }): Promise<ToolCallPlan | ToolCallRefusal> {
      if (namesSecret(query)) return createToolCallRefusal('A search must not name secrets.')
      const checked = checkUrl(createSearchUrl(config, query, count), targets)
      if (checked.kind === 'refused')
        return createToolCallRefusal(
          `The search service cannot be used: ${checked.reason} ${WHERE_URL_IS_SET}`,
          'tool_unavailable',
          host,
        )
      const configured = fillHeaders(config.headers, findSecret)
      if (configured.kind === 'missing')
        return createToolCallRefusal(configured.reason, 'tool_unavailable', host)
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

function createSearchUrl({ kind, url }: WebSearchConfig, query: string, count: number): URL {
  const searched = new URL(kind === 'searxng' ? `${url.replace(/\/+$/, '')}/search` : url)
  searched.searchParams.set('q', query)
  if (kind === 'searxng') searched.searchParams.set('format', 'json')
  else searched.searchParams.set('count', String(count))
  return searched
}

/** The results, each as title, address and excerpt; undefined if the response has another format. */
function parseResults(kind: WebSearchConfig['kind'], answer: string): readonly string[] | undefined {
  const parsed = parseSearchAnswer(answer)
  const results =
    kind === 'searxng' ? readField(parsed, 'results') : readField(readField(parsed, 'web'), 'results')
  // Brave omits this field if it finds nothing.
  if (results === undefined && kind === 'brave' && readField(parsed, 'type') === 'search') return []
  if (!Array.isArray(results)) return undefined
  const excerpt = kind === 'searxng' ? 'content' : 'description'
  return results
    .map((result: unknown) =>
      [readPlainField(result, 'title'), readField(result, 'url'), readPlainField(result, excerpt)]
        .filter(isNonEmptyText)
        .join('\n'),
    )
    .filter(isNonEmptyText)
}

function parseSearchAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** Services highlight matches with HTML. */
const readPlainField = (value: unknown, name: string): string => {
  const text = readField(value, name)
  return typeof text === 'string' ? toHtmlText(text).replaceAll('\n', ' ') : ''
}

const isNonEmptyText = (value: unknown): value is string => typeof value === 'string' && value !== ''
