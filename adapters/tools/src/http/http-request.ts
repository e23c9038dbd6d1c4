import { HttpRequestInput, createToolInput } from '@parley/contracts'
import {
  type ToolCallPlan,
  type ToolCallRefusal,
  type Tool,
  type RawToolResult,
  detectMediaType,
  isModelMedia,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { formatShortList } from '../format-text.ts'
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

export interface HttpOptions extends DialOptions {
  readonly policy: Pick<ToolPolicy, 'allowedDomains' | 'httpHeaders'>
  readonly findSecret: FindSecret
  readonly limits?: Partial<HttpLimits> | undefined
}

/** Sends HTTP requests: reads without asking, and writes after a person agrees. */
export function createHttpRequestTool({
  policy,
  findSecret,
  limits,
  ...dialOptions
}: HttpOptions): Tool<HttpRequestInput> {
  const targets: AllowedTargets = { allowedHosts: policy.allowedDomains, howToAllow: HOW_TO_ALLOW }
  const guardedFetch = createGuardedFetch({ ...targets, ...dialOptions, limits })
  const bounds = { ...HTTP_LIMITS, ...limits }
  const fillConfiguredHeaders = ({ hostname }: URL) => fillHeaders(policy.httpHeaders[hostname], findSecret)

  async function send(url: URL, input: HttpRequestInput, signal: AbortSignal): Promise<RawToolResult> {
    const { method = 'GET', body = null } = input
    const configured = fillConfiguredHeaders(url)
    if (configured.kind === 'missing') return createFailedResult(configured.reason, 'tool_unavailable')
    const headers = new Headers({ ...input.headers })
    if (!headers.has('accept')) headers.set('accept', ACCEPT)
    if (!headers.has('user-agent')) headers.set('user-agent', 'Parley')
    for (const [name, value] of Object.entries(configured.headers)) headers.set(name, value)
    const timed = AbortSignal.any([signal, AbortSignal.timeout(bounds.wholeMs)])
    try {
      const response = await guardedFetch(url, { method, headers, body, signal: timed })
      return await readResponse(response, { url: url.href, method }, bounds)
    } catch (failure) {
      signal.throwIfAborted()
      return describeRequestFailure(failure, url.host)
    }
  }

  return {
    name: 'http_request',
    description:
      'Sends an HTTPS request and returns the response. HTML is converted to text. ' +
      `Hosts: ${formatShortList(policy.allowedDomains, MAX_LISTED)}. GET and HEAD are sent at once, others after the person agrees.`,
    input: createToolInput(HttpRequestInput),

    async plan(input): Promise<ToolCallPlan | ToolCallRefusal> {
      const { method = 'GET', headers = {}, body } = input
      if ([input.url, body ?? '', ...Object.entries(headers).flat()].some(namesSecret))
        return createToolCallRefusal(NO_SECRETS)
      const checked = checkUrl(input.url, targets)
      if (checked.kind === 'refused') {
        const given = URL.parse(input.url)
        return createToolCallRefusal(checked.reason, given ? 'tool_denied' : 'validation', given?.host)
      }
      const { url } = checked
      url.hash = ''
      const target = `${method} ${url.origin}`
      const wrong = checkHeaders(headers)
      if (wrong !== undefined) return createToolCallRefusal(wrong, 'validation', target)
      const reads = method === 'GET' || method === 'HEAD'
      if (reads && body !== undefined)
        return createToolCallRefusal(`${method} has no body; leave it out.`, 'validation', target)
      const configured = fillConfiguredHeaders(url)
      if (configured.kind === 'missing')
        return createToolCallRefusal(configured.reason, 'tool_unavailable', target)

      const preview = formatPreview(`${method} ${url.href}`, input, Object.keys(configured.headers))
      return {
        kind: 'plan',
        target,
        origin: url.href,
        ...(!reads && { approval: { state: '', preview: { kind: 'text', text: preview }, forSession: {} } }),
        carryOut: (signal) => send(url, input, signal),
      }
    },
  }
}

const ACCEPT = 'text/html, application/json, text/*;q=0.9, */*;q=0.5'
const HOW_TO_ALLOW = 'The person may allow it: allowed_domains under [chat] in ~/.parley/config.toml.'
const NO_SECRETS =
  'A request must not name secrets. The person sets those that a host needs: http_headers in ~/.parley/config.toml.'

const MAX_LISTED = 20

/** The preview for the person. It shows only the names of configured headers. */
function formatPreview(
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

/** Why the model's headers may not be sent; undefined if they may. */
function checkHeaders(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > MAX_SENT_HEADERS) return `There may be ${MAX_SENT_HEADERS} headers at most.`
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name)) return `${JSON.stringify(name)} is not a header name.`
    if (!HEADER_VALUE.test(value))
      return `The value of the header ${name} may only contain printable Latin-1 characters.`
    const lower = name.toLowerCase()
    if (CONTROL_HEADERS.has(lower) || CONTROL_PATTERN.test(lower))
      return `The header ${name} cannot be set; leave it out.`
  }
  return undefined
}

const MAX_SENT_HEADERS = 50
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/

/** They control the connection, or change the request from the one that the person sees. */
const CONTROL_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
])
const CONTROL_PATTERN = /^(proxy-|sec-|x-forwarded-|x-original-|x-rewrite-)|^forwarded$|method/

/** Reads a response for the model, if its type is readable: status, then text or picture. */
export async function readResponse(
  response: Response,
  { url, method }: SentRequest,
  limits: Pick<HttpLimits, 'textBytes' | 'mediaBytes'>,
): Promise<RawToolResult> {
  const given = response.headers.get('content-type') ?? ''
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const head = formatHead(response, given, { url, method })
  if (method === 'HEAD' || response.body === null) return { kind: 'ok', text: head }

  const isMedia = isModelMedia(type)
  if (!isMedia && !isTextType(type)) {
    await response.body.cancel()
    return createFailedResult(`${head}\n\nThe type ${type} cannot be read here. Text, pictures and PDF can.`)
  }
  const most = isMedia ? limits.mediaBytes : limits.textBytes
  const read = await readBoundedBody(response, most)
  if (read.kind === 'too-large')
    return createFailedResult(
      `${head}\n\nThe body is larger than ${most} bytes. Request less, such as one page or a range.`,
    )
  const { bytes } = read
  if (bytes.byteLength === 0) return { kind: 'ok', text: head }
  if (isMedia) {
    if (detectMediaType(bytes) !== type)
      return createFailedResult(`${head}\n\nThe body is labelled as ${type}, but is not.`)
    return { kind: 'ok', text: head, media: [{ mediaType: type, bytes }] }
  }
  const text = decodeBody(bytes, given)
  if (text.includes('\0')) return createFailedResult(`${head}\n\nThe body is labelled as text, but is not.`)
  return { kind: 'ok', text: `${head}\n\n${HTML.test(type) ? toHtmlText(text, response.url) : text}` }
}

interface SentRequest {
  readonly url: string
  readonly method: string
}

function formatHead({ status, statusText, headers, url }: Response, type: string, sent: SentRequest): string {
  const lines = [`HTTP ${status} ${statusText}`.trim()]
  if (url !== sent.url) lines.push(`redirected to: ${url}`)
  if (sent.method === 'HEAD')
    return [...lines, ...[...headers].filter(isShown).map(([name, value]) => `${name}: ${value}`)].join('\n')
  if (type !== '') lines.push(`content-type: ${type}`)
  return lines.join('\n')
}

/** A cookie is a credential, so the model does not see it. */
const isShown = ([name]: readonly [string, string]): boolean => name !== 'set-cookie'

const HTML = /^(text\/html|application\/xhtml\+xml)$/

/** A response without a type is treated as text. */
const isTextType = (type: string): boolean =>
  type === '' ||
  /^text\/|\+(json|xml|yaml)$/.test(type) ||
  /^application\/(json|xml|csv|javascript|ecmascript|x-javascript|x-ndjson|jsonl|yaml|x-yaml|toml|graphql|sql|x-sh)$/.test(
    type,
  )

function decodeBody(bytes: Uint8Array, type: string): string {
  const charset = /charset\s?=\s?"?([^\s;"]+)/i.exec(type)?.[1] ?? findDeclaredCharset(bytes) ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A page may declare its charset near its top. */
const findDeclaredCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{1,200}charset\s?=\s?["']?([\w-]+)/i.exec(
    Buffer.from(bytes.subarray(0, 1_024)).toString('latin1'),
  )?.[1]
