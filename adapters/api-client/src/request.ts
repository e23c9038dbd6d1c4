import { type ErrorCode, PlatformError, Problem, type SessionId } from '@parley/contracts'

/** The server's address and the caller's credentials. */
export interface ApiConnection {
  readonly baseUrl: string
  /** Absent in a page, which uses its cookie. */
  readonly token?: string | undefined
  /** For visitor pages: ignores a signed-in person's cookie. */
  readonly as?: 'visitor' | undefined
  readonly fetch: typeof fetch
}

export const toSessionPath = (sessionId: SessionId) => `/v1/sessions/${encodeURIComponent(sessionId)}`

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

export interface RequestOptions {
  readonly body?: unknown
  /** A form with a file, instead of a JSON body. */
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal
}

/** Repeated with the same key within 24 hours, a call returns the first response and creates nothing. */
export interface Keyed {
  readonly idempotencyKey?: string
}

/** Query parameters. */
export function toQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** Request timeout. */
const TIMEOUT_MS = 30_000

/** The part of a schema needed to parse a response. */
export interface ResponseSchema<T> {
  safeParse(answer: unknown): { success: true; data: T } | { success: false; error: Error }
}

/** Sends a request and parses the response by the schema. */
export async function requestJson<T>(
  api: ApiConnection,
  shape: ResponseSchema<T>,
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const response = await request(api, method, path, options)
  const text = await response.text().catch((cause: unknown) => {
    throw createUnreachableError(api, cause)
  })
  const parsed = shape.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new PlatformError('internal', { message: UNEXPECTED_RESPONSE, path }, { cause: parsed.error })
}

export const UNEXPECTED_RESPONSE =
  'The server sent an unexpected response. Reload the page, or update client and server to the same version.'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a request and returns the response before its body. Throws a `PlatformError` if refused. */
export async function request(
  api: ApiConnection,
  method: Method,
  path: string,
  options: RequestOptions,
): Promise<Response> {
  const { body, form, headers, idempotencyKey, signal = AbortSignal.timeout(TIMEOUT_MS) } = options
  let response: Response
  try {
    response = await api.fetch(`${api.baseUrl}${path}`, {
      method,
      headers: {
        ...(api.token !== undefined && { authorization: `Bearer ${api.token}` }),
        ...(api.as !== undefined && { 'x-parley-as': api.as }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      cache: 'no-store',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
      signal,
    })
  } catch (cause) {
    throw createUnreachableError(api, cause)
  }
  if (!response.ok) throw await toPlatformError(response)
  return response
}

/** For `catch`: returns undefined for these errors, and throws others again. */
export const ignoreErrors =
  (...codes: readonly ErrorCode[]) =>
  (failure: unknown): undefined => {
    if (!(failure instanceof PlatformError && codes.includes(failure.code))) throw failure
  }

/** Whether a retry may succeed. */
export function isTemporary(failure: unknown): boolean {
  if (!(failure instanceof PlatformError)) return false
  const { status } = failure.detail
  if (typeof status !== 'number') return failure.code === 'server_unreachable'
  return status >= 500 || status === 429 || status === 408
}

export const createUnreachableError = ({ baseUrl }: ApiConnection, cause: unknown): PlatformError => {
  const where = baseUrl === '' ? 'The server' : `The server at ${baseUrl}`
  const message = `${where} is not responding. Check that it is running and that you are online, then try again.`
  return new PlatformError('server_unreachable', { message }, { cause })
}

async function toPlatformError(response: Response): Promise<PlatformError> {
  const { status } = response
  const problem = Problem.safeParse(await response.json().catch(() => undefined))
  if (problem.success) {
    const { code, title, detail, issues, missing, differs, requestId } = problem.data
    const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
    return new PlatformError(code, {
      message: detail ?? title,
      status,
      issues,
      requestId,
      ...(missing && { missing }),
      ...(differs && { differs }),
      ...(Number.isFinite(wait) && { retryAfterSeconds: wait }),
    })
  }
  return new PlatformError(toErrorCode(status), { message: `The server returned status ${status}.`, status })
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'validation',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  429: 'rate_limited',
  502: 'server_unreachable',
  503: 'server_unreachable',
  504: 'server_unreachable',
}

/** Proxies do not send problem documents, so map the status. */
const toErrorCode = (status: number): ErrorCode => CODES[status] ?? 'internal'
