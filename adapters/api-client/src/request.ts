import { type ErrorCode, PlatformError, Problem, type SessionId } from '@parley/contracts'

/** Where the server is and who asks. */
export interface Api {
  readonly baseUrl: string
  /** Absent in a page, which is known by its cookie. */
  readonly token?: string | undefined
  /** In a page that visitors see: whoever is signed in besides is not who asks. */
  readonly as?: 'visitor' | undefined
  readonly fetch: typeof fetch
}

export const pathOf = (sessionId: SessionId) => `/v1/sessions/${encodeURIComponent(sessionId)}`

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

export interface Asking {
  readonly body?: unknown
  /** In place of a body: what holds a file. */
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** What is named in an address, if anything. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** An answer that takes longer than this counts as none. */
const LONGEST_WAIT_MS = 30_000

/** The part of a schema that reading an answer takes. */
export interface Shape<T> {
  safeParse(answer: unknown): { success: true; data: T } | { success: false; error: Error }
}

/** Asks and reads the whole answer, which has the shape. */
export async function ask<T>(
  api: Api,
  shape: Shape<T>,
  method: Method,
  path: string,
  asking: Asking = {},
): Promise<T> {
  const response = await request(api, method, path, asking)
  const text = await response.text().catch((cause: unknown) => {
    throw unreachable(api, cause)
  })
  const answer = shape.safeParse(jsonIn(text))
  if (answer.success) return answer.data
  throw new PlatformError('internal', { message: NOT_UNDERSTOOD, path }, { cause: answer.error })
}

export const NOT_UNDERSTOOD =
  'The server said something that this program does not understand. Bring both to the same version: load the page anew, or update.'

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Asks and returns the answer before its body has come. Throws a `PlatformError` where the server refuses. */
export async function request(api: Api, method: Method, path: string, asking: Asking): Promise<Response> {
  const { body, form, headers, signal = AbortSignal.timeout(LONGEST_WAIT_MS) } = asking
  let response: Response
  try {
    response = await api.fetch(`${api.baseUrl}${path}`, {
      method,
      headers: {
        ...(api.token !== undefined && { authorization: `Bearer ${api.token}` }),
        ...(api.as !== undefined && { 'x-parley-as': api.as }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      cache: 'no-store',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
      signal,
    })
  } catch (cause) {
    throw unreachable(api, cause)
  }
  if (!response.ok) throw await refusal(response)
  return response
}

/** Whether the same request may well succeed a little later. */
export function mayPass(failure: unknown): boolean {
  if (!(failure instanceof PlatformError)) return false
  const { status } = failure.detail
  if (typeof status !== 'number') return failure.code === 'server_unreachable'
  return status >= 500 || status === 429 || status === 408
}

export const unreachable = ({ baseUrl }: Api, cause: unknown): PlatformError => {
  const where = baseUrl === '' ? 'The server' : `The server at ${baseUrl}`
  const message = `${where} does not answer. See that it runs and that you are online, then try again.`
  return new PlatformError('server_unreachable', { message }, { cause })
}

async function refusal(response: Response): Promise<PlatformError> {
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
  return new PlatformError(codeOf(status), { message: `The server answered with status ${status}.`, status })
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

/** What stands between us and the server (a proxy, say) knows nothing of our problems. */
const codeOf = (status: number): ErrorCode => CODES[status] ?? 'internal'
