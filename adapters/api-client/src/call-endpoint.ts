import { type EndpointInput, type EndpointOutput, type EndpointRoute, PlatformError } from '@parley/contracts'
import { type ApiConnection, UNEXPECTED_RESPONSE, createUnreachableError, sendRequest } from './request.ts'

/** Request timeout. */
const TIMEOUT_MS = 30_000

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Calls an endpoint of the table and returns the response before its body. Throws a `PlatformError` if refused. */
export const callEndpoint = <Route extends EndpointRoute>(
  api: ApiConnection,
  route: Route,
  input: EndpointInput<Route>,
  options?: CallOptions,
): Promise<Response> => sendInput(api, route, input, options)

function sendInput(
  api: ApiConnection,
  route: EndpointRoute,
  input: unknown,
  { headers, signal = AbortSignal.timeout(TIMEOUT_MS) }: CallOptions = {},
): Promise<Response> {
  const { idempotencyKey, ...fields } = (input ?? {}) as Record<string, unknown>
  const [method = '', template = ''] = route.split(' ')
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = toText(fields[name])
    delete fields[name]
    return encodeURIComponent(value)
  })
  const isRead = method === 'GET' || method === 'DELETE'
  const body = isRead ? undefined : toBody(fields)
  return sendRequest(api, method, isRead ? `${path}${toQuery(fields)}` : path, {
    ...(body !== undefined && { body }),
    headers: {
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': toText(idempotencyKey) }),
      ...headers,
    },
    signal,
  })
}

/** JSON, or a form if the fields include a file. */
function toBody({ file, fileName, ...fields }: Record<string, unknown>): string | FormData {
  if (!(file instanceof Blob)) return JSON.stringify(fields)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, toText(value))
  form.set('file', file, toText(fileName))
  return form
}

/** The part of a schema needed to parse a response. */
interface ResponseSchema<Output> {
  safeParse(response: unknown): { success: true; data: Output } | { success: false; error: Error }
}

type InputArguments<Route extends EndpointRoute> =
  Partial<EndpointInput<Route>> extends EndpointInput<Route>
    ? [input?: EndpointInput<Route>]
    : [input: EndpointInput<Route>]

/** Calls one endpoint. An interface, so that the types of the clients name it and do not repeat its contents. */
export interface EndpointCall<Route extends EndpointRoute, Output> {
  (...given: InputArguments<Route>): Promise<Output>
}

/** Makes a function that calls one endpoint and returns its response, parsed by the schema; without one, nothing. */
export interface CreateCall {
  <Route extends EndpointRoute, Output extends EndpointOutput<Route>>(
    route: Route,
    schema: ResponseSchema<Output>,
    timeoutMs?: number,
  ): EndpointCall<Route, Output>
  <Route extends EndpointRoute>(route: Route): EndpointCall<Route, void>
}

export function bindCalls(api: ApiConnection): CreateCall {
  const createCall =
    (route: EndpointRoute, schema?: ResponseSchema<unknown>, timeoutMs = TIMEOUT_MS) =>
    async (input?: unknown) => {
      const response = await sendInput(api, route, input, {
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
      })
      return schema && parseResponse(api, route, response, schema)
    }
  // The overloads type each call by its route; one function for all routes cannot.
  return createCall as CreateCall
}

async function parseResponse<Output>(
  api: ApiConnection,
  route: EndpointRoute,
  response: Response,
  schema: ResponseSchema<Output>,
): Promise<Output> {
  const text = await response.text().catch((cause: unknown) => {
    throw createUnreachableError(api, cause)
  })
  const parsed = schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new PlatformError('internal', { message: UNEXPECTED_RESPONSE, route }, { cause: parsed.error })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Query parameters. */
function toQuery(parameters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, toText(value))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}
