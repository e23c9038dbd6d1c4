import type { Json } from '@parley/contracts'
import type { ToolConfig } from '../agents/tool-document.ts'
import { addressOf, type AddressParts } from './address-of.ts'
import { fillParameters } from './fill-parameters.ts'
import { asText } from './variables.ts'

export interface ToolRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Built =
  | { readonly kind: 'built'; readonly request: ToolRequest }
  | { readonly kind: 'unfit'; readonly why: string }

type Webhook = Extract<ToolConfig, { type: 'webhook' }>

/** `variables` holds no secrets: those come in `headers` alone. */
export interface RequestParts extends Omit<AddressParts, 'path'> {
  readonly headers: Readonly<Record<string, string>>
}

/** The request of one call. */
export function buildRequest({ api_schema: schema }: Webhook, input: Json, parts: RequestParts): Built {
  const { variables, headers } = parts
  const path = fillParameters(
    { properties: schema.path_params_schema, required: Object.keys(schema.path_params_schema) },
    input,
    variables,
  )
  if (path.kind === 'unfit') return path
  const query = fillParameters(schema.query_params_schema ?? NOTHING, input, variables)
  if (query.kind === 'unfit') return query
  const body = fillParameters(schema.request_body_schema ?? NOTHING, input, variables)
  if (body.kind === 'unfit') return body

  const address = addressOf(schema.url, { ...parts, path: path.values })
  if (address.kind === 'unfit') return address
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
