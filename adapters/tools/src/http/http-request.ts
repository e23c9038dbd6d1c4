import { HttpRequestInput, toolInput } from '@parley/contracts'
import { type Plan, refuse, type Refusal, type Tool, type ToolText } from '@parley/engine'
import { namesSecret } from '../fill-secrets.ts'
import type { SecretOf, ToolPolicy } from '../tool-policy.ts'
import { checkUrl, type Reach } from './check-url.ts'
import { configuredHeaders } from './configured-headers.ts'
import { createGuardedFetch } from './create-guarded-fetch.ts'
import type { DialOptions } from './dial.ts'
import { headersRefused } from './headers-refused.ts'
import { HTTP_LIMITS, type HttpLimits } from './http-limits.ts'
import { readAnswer } from './read-answer.ts'
import { requestFailure } from './request-failure.ts'

export interface HttpOptions extends DialOptions {
  readonly policy: Pick<ToolPolicy, 'allowedDomains' | 'httpHeaders'>
  readonly secretOf: SecretOf
  readonly limits?: Partial<HttpLimits> | undefined
}

/** Asks servers on the web: reads without a question, and sends once a person has agreed. */
export function httpRequest({
  policy,
  secretOf,
  limits,
  ...dialOptions
}: HttpOptions): Tool<HttpRequestInput> {
  const reach: Reach = { allowedHosts: policy.allowedDomains, howToAllow: HOW_TO_ALLOW }
  const guardedFetch = createGuardedFetch({ ...reach, ...dialOptions, limits })
  const bounds = { ...HTTP_LIMITS, ...limits }
  const configuredFor = ({ hostname }: URL) => configuredHeaders(policy.httpHeaders[hostname], secretOf)

  async function send(url: URL, input: HttpRequestInput, signal: AbortSignal): Promise<ToolText> {
    const { method = 'GET', body = null } = input
    const configured = configuredFor(url)
    if (configured.kind === 'missing')
      return { kind: 'failed', code: 'tool_unavailable', text: configured.why }
    const headers = new Headers({ ...input.headers })
    if (!headers.has('accept')) headers.set('accept', ACCEPT)
    if (!headers.has('user-agent')) headers.set('user-agent', 'Parley')
    for (const [name, value] of Object.entries(configured.headers)) headers.set(name, value)
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(bounds.wholeMs)])
    try {
      const response = await guardedFetch(url, { method, headers, body, signal: inTime })
      return await readAnswer(response, { url: url.href, method }, bounds)
    } catch (failure) {
      signal.throwIfAborted()
      return requestFailure(failure, url.host)
    }
  }

  return {
    name: 'http_request',
    description:
      'Sends an HTTPS request and gives what is answered; a page comes as its text. ' +
      `Hosts: ${listed(policy.allowedDomains)}. GET and HEAD go out at once, others once the person agrees.`,
    input: toolInput(HttpRequestInput),

    async plan(input): Promise<Plan | Refusal> {
      const { method = 'GET', headers = {}, body } = input
      if ([input.url, body ?? '', ...Object.entries(headers).flat()].some(namesSecret))
        return refuse(NO_SECRETS)
      const checked = checkUrl(input.url, reach)
      if (checked.kind === 'refused') {
        const given = URL.parse(input.url)
        return refuse(checked.why, given ? 'tool_denied' : 'validation', given?.host)
      }
      const { url } = checked
      url.hash = ''
      const target = `${method} ${url.origin}`
      const headerFault = headersRefused(headers)
      if (headerFault !== undefined) return refuse(headerFault, 'validation', target)
      const reads = method === 'GET' || method === 'HEAD'
      if (reads && body !== undefined)
        return refuse(`${method} has no body; leave it out.`, 'validation', target)
      const configured = configuredFor(url)
      if (configured.kind === 'missing') return refuse(configured.why, 'tool_unavailable', target)

      const preview = previewOf(`${method} ${url.href}`, input, Object.keys(configured.headers))
      return {
        kind: 'plan',
        target,
        origin: url.href,
        ...(!reads && { question: { state: '', preview: { kind: 'text', text: preview }, forSession: {} } }),
        carryOut: (signal) => send(url, input, signal),
      }
    },
  }
}

const ACCEPT = 'text/html, application/json, text/*;q=0.9, */*;q=0.5'
const HOW_TO_ALLOW = 'The person may allow it: allowed_domains under [chat] in ~/.parley/config.toml.'
const NO_SECRETS =
  'A request must not name secrets. Those that a host needs are set by the person: http_headers in ~/.parley/config.toml.'

const MOST_LISTED = 20

const listed = (hosts: readonly string[]): string =>
  hosts.length > MOST_LISTED
    ? `${hosts.slice(0, MOST_LISTED).join(', ')} and ${hosts.length - MOST_LISTED} more`
    : hosts.join(', ')

/** What the person judges by. Of what config adds, they see the names alone. */
function previewOf(
  opening: string,
  { headers = {}, body }: HttpRequestInput,
  configured: readonly string[],
): string {
  const overruled = new Set(configured.map((name) => name.toLowerCase()))
  const own = Object.entries(headers).filter(([name]) => !overruled.has(name.toLowerCase()))
  return [
    opening,
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...configured.map((name) => `${name}: (from your config)`),
    ...(body === undefined ? [] : ['', body]),
  ].join('\n')
}
