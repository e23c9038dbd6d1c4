import { type AgentTool, toToolFailure } from './agent-tool.ts'
import {
  type SecretMask,
  type VariableValues,
  toText,
  assignVariables,
  fillVariables,
  isSecret,
  findVariableNames,
  getVariable,
  omitSecrets,
} from './variables.ts'
import type { HeaderSource, WebhookToolConfig } from '../agents/tool-document.ts'
import { type WebhookRequest, buildRequest } from './build-request.ts'
import { buildInputSchema, collectParameters } from './parameters.ts'

export interface WebhookToolHost {
  /** Current values, with secrets. */
  readonly variables: () => VariableValues
  readonly assign: (variables: VariableValues) => void
  /** Whether the client set this variable, and so controls its value. */
  readonly isFromClient: (name: string) => boolean
  readonly secrets: SecretMask
  readonly readSecret: (secretId: string) => Promise<string | undefined>
  readonly readEnvironmentValue: (label: string) => Promise<string | undefined>
}

/** Maximum length of an answer for the model. */
const MAX_CHARACTERS = 50_000
const MAX_PROBLEM_LENGTH = 2_000

/** A tool that calls a server over HTTP. */
export function createWebhookTool(config: WebhookToolConfig, host: WebhookToolHost): AgentTool {
  const { name, description, api_schema: schema, tool_error_handling_mode: mode } = config
  const placeholders = config.dynamic_variables.dynamic_variable_placeholders as VariableValues
  const variables = (): VariableValues => ({ ...placeholders, ...host.variables() })
  const known = omitSecrets(variables())
  return {
    type: 'webhook',
    declaration: {
      name,
      description: fillVariables(description, known),
      inputSchema: buildInputSchema(collectParameters(config), known),
    },
    async run({ input }, signal) {
      const headers = await resolveHeaders(schema.request_headers, variables(), host)
      if (headers.kind === 'missing') return toToolFailure(headers.reason, mode)
      const { mask, add, addFrom } = host.secrets
      addFrom(variables())
      for (const [header, value] of Object.entries(headers.secrets)) add(header, value)
      const built = buildRequest(config, input, {
        variables: omitSecrets(variables()),
        headers: headers.values,
        isFromClient: host.isFromClient,
        hasSecrets: Object.keys(headers.secrets).length > 0,
      })
      if (built.kind === 'invalid')
        return { kind: 'failed', text: `The call was not made: ${built.reason}.`, problem: built.reason }
      const answered = await sendRequest(
        built.request,
        { timeoutMs: config.response_timeout_secs * 1_000, followRedirects: config.follow_redirects },
        signal,
      )
      if (answered.kind === 'failed')
        return toToolFailure(mask(answered.reason).slice(0, MAX_PROBLEM_LENGTH), mode)
      const { variables: assigned, text } = assignVariables(answered.text, config.assignments, host.secrets)
      host.assign(assigned)
      return { kind: 'ok', text: mask(text).slice(0, MAX_CHARACTERS) }
    },
  }
}

type ResolvedHeaders =
  | {
      readonly kind: 'headers'
      readonly values: Readonly<Record<string, string>>
      readonly secrets: Readonly<Record<string, string>>
    }
  | { readonly kind: 'missing'; readonly reason: string }

async function resolveHeaders(
  configured: Readonly<Record<string, HeaderSource>>,
  variables: VariableValues,
  host: WebhookToolHost,
): Promise<ResolvedHeaders> {
  const values: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  for (const [header, source] of Object.entries(configured)) {
    const found = await resolveHeader(source, variables, host)
    if (found.value === undefined)
      return { kind: 'missing', reason: `the header ${header} has no value: ${found.from} is not set` }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(found.value))
      return { kind: 'missing', reason: `the header ${header} has a value that no header can have` }
    values[header] = found.value
    if (found.isSecret) secrets[header] = found.value
  }
  return { kind: 'headers', values, secrets }
}

interface ResolvedHeader {
  readonly value: string | undefined
  readonly from: string
  readonly isSecret: boolean
}

async function resolveHeader(
  source: HeaderSource,
  variables: VariableValues,
  host: WebhookToolHost,
): Promise<ResolvedHeader> {
  if (typeof source === 'string') {
    const value = fillVariables(source, variables)
    const [missing] = findVariableNames(value)
    return {
      value: missing === undefined ? value : undefined,
      from: `the variable ${missing}`,
      isSecret: findVariableNames(source).some(isSecret),
    }
  }
  if ('secret_id' in source && typeof source.secret_id === 'string')
    return {
      value: await host.readSecret(source.secret_id),
      from: `the secret ${source.secret_id}`,
      isSecret: true,
    }
  if ('variable_name' in source && typeof source.variable_name === 'string') {
    const name = source.variable_name
    const value = getVariable(name, variables)
    return {
      value: value === undefined ? undefined : toText(value),
      from: `the variable ${name}`,
      isSecret: isSecret(name),
    }
  }
  const label = String(source['env_var_label'])
  return {
    value: await host.readEnvironmentValue(label),
    from: `the environment variable ${label}`,
    isSecret: true,
  }
}

type HttpResult =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

interface SendRequestOptions {
  readonly timeoutMs: number
  readonly followRedirects: boolean
}

/** Maximum size of an answer. */
const MAX_BYTES = 1_000_000
const MAX_REDIRECTS = 5

/** Sends a request. Never throws: an error is a result. */
async function sendRequest(
  request: WebhookRequest,
  { timeoutMs, followRedirects }: SendRequestOptions,
  signal: AbortSignal,
): Promise<HttpResult> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    let next = request
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const { url, ...options } = next
      const response = await fetch(url, { ...options, redirect: 'manual', signal: deadline })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null)
        return await readResponse(response)
      await response.body?.cancel()
      if (!followRedirects)
        return toFailedResult(`the server answered ${response.status}, and redirects are not followed`)
      const redirected = buildRedirect(next, response.status, location)
      if (!redirected) return toFailedResult('the server redirects to an address that is not http or https')
      next = redirected
    }
    return toFailedResult(`the server redirects more than ${MAX_REDIRECTS} times`)
  } catch (thrown) {
    if (signal.aborted) return toFailedResult('the call was cancelled')
    if (deadline.aborted) return toFailedResult(`the server took longer than ${timeoutMs / 1_000} seconds`)
    return toFailedResult(`the server could not be reached: ${getErrorReason(thrown)}`)
  }
}

const toFailedResult = (reason: string): HttpResult => ({ kind: 'failed', reason })

/** Sends the headers only to the configured server, because they contain secrets. */
function buildRedirect(
  request: WebhookRequest,
  status: number,
  location: string,
): WebhookRequest | undefined {
  const url = URL.parse(location, request.url)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const isSameServer = url.origin === new URL(request.url).origin
  const becomesGet = status === 303 || ((status === 301 || status === 302) && request.method === 'POST')
  const { body, headers, method } = request
  const sentHeaders = isSameServer ? headers : {}
  if (becomesGet) return { url: url.href, method: 'GET', headers: sentHeaders }
  return { url: url.href, method, headers: sentHeaders, ...(body !== undefined && { body }) }
}

async function readResponse(response: Response): Promise<HttpResult> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > MAX_BYTES) return toFailedResult(`the answer is larger than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  const type = response.headers.get('content-type') ?? ''
  const bytes = Buffer.concat(chunks)
  if (bytes.includes(0)) return toFailedResult(`the answer is not text: ${type || 'no content type'}`)
  const text = bytes.toString('utf8')
  if (!response.ok) return toFailedResult(`the server answered ${response.status}: ${text}`)
  return { kind: 'answered', status: response.status, text }
}

function getErrorReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { cause } = thrown
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  return code ?? thrown.message
}
