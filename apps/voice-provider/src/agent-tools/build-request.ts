import type { Json } from '@parley/contracts'
import type { WebhookToolConfig } from '../agents/tool-document.ts'
import { fillParameters } from './parameters.ts'
import {
  PLACEHOLDER,
  type VariableValues,
  toText,
  fillVariables,
  findVariableNames,
  getVariable,
} from './variables.ts'

export interface WebhookRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type BuildResult =
  | { readonly kind: 'built'; readonly request: WebhookRequest }
  | { readonly kind: 'invalid'; readonly reason: string }

/** `variables` contains no secrets; only `headers` does. */
export interface RequestParts extends Omit<AddressParts, 'path'> {
  readonly headers: Readonly<Record<string, string>>
}

/** Builds the HTTP request for one tool call. */
export function buildRequest(
  { api_schema: schema }: WebhookToolConfig,
  input: Json,
  parts: RequestParts,
): BuildResult {
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

  const address = buildAddress(schema.url, { ...parts, path: path.values })
  if (address.kind === 'invalid') return address
  for (const [name, value] of Object.entries(query.values)) address.url.searchParams.set(name, toText(value))
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
  Record<WebhookToolConfig['api_schema']['content_type'], (values: Readonly<Record<string, Json>>) => string>
> = {
  'application/json': (values) => JSON.stringify(values),
  'application/x-www-form-urlencoded': (values) =>
    new URLSearchParams(Object.entries(values).map(([name, value]) => [name, toText(value)])).toString(),
}

type AddressResult =
  | { readonly kind: 'address'; readonly url: URL }
  | { readonly kind: 'invalid'; readonly reason: string }

interface AddressParts {
  /** Values for `{name}` in the path. */
  readonly path: Readonly<Record<string, Json>>
  readonly variables: VariableValues
  readonly isFromClient: (name: string) => boolean
  /** The request carries secrets meant only for the configured server. */
  readonly hasSecrets: boolean
}

/** Builds the URL. No variable can redirect the request away from the server in the template. */
export function buildAddress(template: string, parts: AddressParts): AddressResult {
  const { variables, path } = parts
  const [origin = '', host] = ORIGIN.exec(template) ?? []
  if (origin === '') return refuseAddress('the address is not an http or https one')
  const filled = host === undefined ? fillWholeOrigin(origin, parts) : fillOriginHost(host, origin, parts)
  if (filled.kind === 'invalid') return filled
  const rest = fillVariables(template.slice(origin.length), variables, encodeSegment)
  const [missing] = findVariableNames(rest)
  if (missing !== undefined) return refuseMissingVariable(missing)
  const url = URL.parse(filled.text + fillPath(rest, path))
  if (!url || url.origin !== URL.parse(filled.text)?.origin)
    return refuseAddress('the address is not an http or https one')
  return { kind: 'address', url }
}

/** A fixed scheme with a host, or one variable for both. */
const ORIGIN = /^(?:https?:\/\/([^/?#\\]*)|\{\{[^{}]*\}\}(?=[/?#]|$))/i

type FilledOrigin =
  | { readonly kind: 'filled'; readonly text: string }
  | Extract<AddressResult, { kind: 'invalid' }>

const refuseAddress = (reason: string): Extract<AddressResult, { kind: 'invalid' }> => ({
  kind: 'invalid',
  reason,
})
const refuseMissingVariable = (name: string) => refuseAddress(`the address needs the variable ${name}`)
const refuseClientServer = (name: string) =>
  refuseAddress(
    `the client chose the server with the variable ${name}, and the tool’s secrets are only for configured servers`,
  )

const WHOLE_ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?(\/[\w./~-]*)?$/i

function fillWholeOrigin(
  origin: string,
  { variables, isFromClient, hasSecrets }: AddressParts,
): FilledOrigin {
  const [name = ''] = findVariableNames(origin)
  const value = getVariable(name, variables)
  if (value === undefined) return refuseMissingVariable(name)
  if (hasSecrets && isFromClient(name)) return refuseClientServer(name)
  const text = toText(value)
  return WHOLE_ORIGIN.test(text)
    ? { kind: 'filled', text: text.replace(/\/$/, '') }
    : refuseAddress(`the variable ${name} is not an http or https address`)
}

const HOST_PART = /^[a-z0-9.-]+$/i
const PORT = /^\d{1,5}$/
/** Ends with a fixed domain, so variables before it cannot change the owner. */
const FIXED_DOMAIN = /\.[^.:]+\.[^.:]+(:\d*)?$/

function fillOriginHost(host: string, origin: string, parts: AddressParts): FilledOrigin {
  for (const { 0: written, 1: name = '', index } of host.matchAll(PLACEHOLDER)) {
    const value = getVariable(name, parts.variables)
    if (value === undefined) return refuseMissingVariable(name)
    const isPort = host[index - 1] === ':'
    if (!(isPort ? PORT : HOST_PART).test(toText(value)))
      return refuseAddress(`the variable ${name} is no part of a host’s name`)
    const after = host.slice(index + written.length)
    const isOwnerFixed = isPort || FIXED_DOMAIN.test(after.slice(after.lastIndexOf('}') + 1))
    if (parts.hasSecrets && parts.isFromClient(name) && !isOwnerFixed) return refuseClientServer(name)
  }
  const text = fillVariables(origin, parts.variables)
  return keepsHost(origin, text) ? { kind: 'filled', text } : refuseAddress('the address names no host')
}

/** Whether the host still starts and ends with the template's fixed parts. */
function keepsHost(template: string, filled: string): boolean {
  const placeholder = 'parley-placeholder'
  const expected = URL.parse(template.replace(/:\{\{[^{}]*\}\}/g, '').replace(PLACEHOLDER, placeholder))
  const url = URL.parse(filled)
  if (!expected || !url) return false
  const fixed = expected.hostname.split(placeholder)
  return url.hostname.startsWith(fixed[0] ?? '') && url.hostname.endsWith(fixed.at(-1) ?? '')
}

const fillPath = (rest: string, path: Readonly<Record<string, Json>>): string =>
  rest.replace(/\{([\w.-]+)\}/g, (written, name: string) =>
    Object.hasOwn(path, name) ? encodeSegment(toText(path[name] ?? '')) : written,
  )

/** Encodes one segment of a path or query; a dot segment would leave its folder. */
const encodeSegment = (value: string): string =>
  /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%252E') : encodeURIComponent(value.toWellFormed())
