import { type ErrorCode, PlatformError, Problem } from '@parley/contracts'

/** The server's address and the caller's credentials. */
export interface ApiConnection {
  readonly baseUrl: string
  /** Absent in a page, which uses its cookie. */
  readonly token?: string | undefined
  /** For visitor pages: ignores a signed-in person's cookie. */
  readonly as?: 'visitor' | undefined
  readonly fetch: typeof fetch
}

export const UNEXPECTED_RESPONSE =
  'The server sent an unexpected response. Reload the page, or update client and server to the same version.'

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FormData
  readonly signal: AbortSignal
}

/** Sends a request and returns the response before its body. Throws a `PlatformError` if refused. */
export async function sendRequest(
  api: ApiConnection,
  method: string,
  path: string,
  { headers, body, signal }: RequestOptions,
): Promise<Response> {
  let response: Response
  try {
    response = await api.fetch(`${api.baseUrl}${path}`, {
      method,
      headers: {
        ...(api.token !== undefined && { authorization: `Bearer ${api.token}` }),
        ...(api.as !== undefined && { 'x-parley-as': api.as }),
        ...headers,
      },
      cache: 'no-store',
      ...(body !== undefined && { body }),
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
    const { code, detail, issues, missing, differs, requestId } = problem.data
    const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
    return new PlatformError(code, {
      message: detail,
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
