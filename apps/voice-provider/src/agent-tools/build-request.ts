import type { Json } from '@parley/contracts'
import type { ToolConfig } from '../agents/tool-document.ts'
import { fillParameters } from './parameters.ts'
import { PLACEHOLDER, type Variables, asText, fillVariables, variableNames, valueOf } from './variables.ts'

export interface ToolRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Built =
  | { readonly kind: 'built'; readonly request: ToolRequest }
  | { readonly kind: 'invalid'; readonly reason: string }

type Webhook = Extract<ToolConfig, { type: 'webhook' }>

/** `variables` contains no secrets; only `headers` does. */
export interface RequestParts extends Omit<AddressParts, 'path'> {
  readonly headers: Readonly<Record<string, string>>
}

/** Builds the HTTP request for one tool call. */
export function buildRequest({ api_schema: schema }: Webhook, input: Json, parts: RequestParts): Built {
  const { variables, headers } = parts
  const path = fillParameters(
    { properties: schema.path_params_schema, required: Object.keys(schema.path_params_schema) },
    input,
    variables,
  )
  if (path.kind === 'invalid') return path
  const query = fillParameters(schema.query_params_schema ?? NOTHING, input, variables)
  if (query.kind === 'invalid') return query
  const body = fillParameters(schema.request_body_schema ?? NOTHING, input, variables)
  if (body.kind === 'invalid') return body

  const address = addressOf(schema.url, { ...parts, path: path.values })
  if (address.kind === 'invalid') return address
  for (const [name, value] of Object.entries(query.values)) address.url.searchParams.set(name, asText(value))
  const hasBody = schema.request_body_schema !== null && schema.method !== 'GET'
  return {
    kind: 'built',
    request: {
      url: address.url.href,
      method: schema.method,
      headers: hasBody ? { 'content-type': schema.content_type, ...headers } : headers,
      ...(hasBody && { body: BODIES[schema.content_type](body.values) }),
    },
  }
}

const NOTHING = { properties: {}, required: [] }

const BODIES: Readonly<
  Record<Webhook['api_schema']['content_type'], (values: Readonly<Record<string, Json>>) => string>
> = {
  'application/json': (values) => JSON.stringify(values),
  'application/x-www-form-urlencoded': (values) =>
    new URLSearchParams(Object.entries(values).map(([name, value]) => [name, asText(value)])).toString(),
}

type Address =
  | { readonly kind: 'address'; readonly url: URL }
  | { readonly kind: 'invalid'; readonly reason: string }

interface AddressParts {
  /** Values for `{name}` in the path. */
  readonly path: Readonly<Record<string, Json>>
  readonly variables: Variables
  readonly isFromClient: (name: string) => boolean
  /** The request carries secrets meant only for the configured server. */
  readonly hasSecrets: boolean
}

/** Builds the URL. No variable can redirect the request away from the server in the template. */
export function addressOf(template: string, parts: AddressParts): Address {
  const { variables, path } = parts
  const [origin = '', host] = ORIGIN.exec(template) ?? []
  if (origin === '') return invalid('the address is not an http or https one')
  const filled = host === undefined ? wholeOrigin(origin, parts) : originWith(host, origin, parts)
  if (filled.kind === 'invalid') return filled
  const rest = fillVariables(template.slice(origin.length), variables, segment)
  const [missing] = variableNames(rest)
  if (missing !== undefined) return needs(missing)
  const url = URL.parse(filled.text + withPath(rest, path))
  if (!url || url.origin !== URL.parse(filled.text)?.origin)
    return invalid('the address is not an http or https one')
  return { kind: 'address', url }
}

/** A fixed scheme with a host, or one variable for both. */
const ORIGIN = /^(?:https?:\/\/([^/?#\\]*)|\{\{[^{}]*\}\}(?=[/?#]|$))/i

type Filled = { readonly kind: 'filled'; readonly text: string } | Extract<Address, { kind: 'invalid' }>

const invalid = (reason: string): Extract<Address, { kind: 'invalid' }> => ({ kind: 'invalid', reason })
const needs = (name: string) => invalid(`the address needs the variable ${name}`)
const chosenByClient = (name: string) =>
  invalid(
    `the client chose the server with the variable ${name}, and the tool’s secrets are only for configured servers`,
  )

const WHOLE_ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?(\/[\w./~-]*)?$/i

function wholeOrigin(origin: string, { variables, isFromClient, hasSecrets }: AddressParts): Filled {
  const [name = ''] = variableNames(origin)
  const value = valueOf(name, variables)
  if (value === undefined) return needs(name)
  if (hasSecrets && isFromClient(name)) return chosenByClient(name)
  const text = asText(value)
  return WHOLE_ORIGIN.test(text)
    ? { kind: 'filled', text: text.replace(/\/$/, '') }
    : invalid(`the variable ${name} is not an http or https address`)
}

const HOST_PART = /^[a-z0-9.-]+$/i
const PORT = /^\d{1,5}$/
/** Ends with a fixed domain, so variables before it cannot change the owner. */
const FIXED_DOMAIN = /\.[^.:]+\.[^.:]+(:\d*)?$/

function originWith(host: string, origin: string, parts: AddressParts): Filled {
  for (const { 0: written, 1: name = '', index } of host.matchAll(PLACEHOLDER)) {
    const value = valueOf(name, parts.variables)
    if (value === undefined) return needs(name)
    const isPort = host[index - 1] === ':'
    if (!(isPort ? PORT : HOST_PART).test(asText(value)))
      return invalid(`the variable ${name} is no part of a host’s name`)
    const after = host.slice(index + written.length)
    const isHeld = isPort || FIXED_DOMAIN.test(after.slice(after.lastIndexOf('}') + 1))
    if (parts.hasSecrets && parts.isFromClient(name) && !isHeld) return chosenByClient(name)
  }
  const text = fillVariables(origin, parts.variables)
  return keepsItsHost(origin, text) ? { kind: 'filled', text } : invalid('the address names no host')
}

/** Whether the host still starts and ends with the template's fixed parts. */
function keepsItsHost(template: string, filled: string): boolean {
  const placeholder = 'parley-placeholder'
  const expected = URL.parse(template.replace(/:\{\{[^{}]*\}\}/g, '').replace(PLACEHOLDER, placeholder))
  const url = URL.parse(filled)
  if (!expected || !url) return false
  const fixed = expected.hostname.split(placeholder)
  return url.hostname.startsWith(fixed[0] ?? '') && url.hostname.endsWith(fixed.at(-1) ?? '')
}

const withPath = (rest: string, path: Readonly<Record<string, Json>>): string =>
  rest.replace(/\{([\w.-]+)\}/g, (written, name: string) =>
    Object.hasOwn(path, name) ? segment(asText(path[name] ?? '')) : written,
  )

/** Encodes one segment of a path or query; a dot segment would leave its folder. */
const segment = (value: string): string =>
  /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%252E') : encodeURIComponent(value.toWellFormed())
