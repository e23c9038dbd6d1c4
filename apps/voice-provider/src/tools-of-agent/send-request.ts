import type { ToolRequest } from './build-request.ts'

export type Answered =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string }

export interface SendOptions {
  readonly timeoutMs: number
  readonly followRedirects: boolean
}

/** What is read of an answer at most. */
const MOST_BYTES = 1_000_000
const MOST_REDIRECTS = 5

/** Asks a server, and never throws: what goes wrong is told in words. */
export async function sendRequest(
  request: ToolRequest,
  { timeoutMs, followRedirects }: SendOptions,
  signal: AbortSignal,
): Promise<Answered> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    let next = request
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const { url, ...options } = next
      const response = await fetch(url, { ...options, redirect: 'manual', signal: deadline })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null) return await read(response)
      await response.body?.cancel()
      if (!followRedirects)
        return failed(`the server answered ${response.status}, and redirects are not followed`)
      const redirected = redirect(next, response.status, location)
      if (!redirected) return failed('the server redirects to something that is no http address')
      next = redirected
    }
    return failed(`the server redirects more than ${MOST_REDIRECTS} times`)
  } catch (thrown) {
    if (signal.aborted) return failed('the call was given up')
    if (deadline.aborted) return failed(`the server took longer than ${timeoutMs / 1_000} seconds`)
    return failed(`the server could not be asked: ${reasonOf(thrown)}`)
  }
}

const failed = (why: string): Answered => ({ kind: 'failed', why })

/** The configured headers hold secrets, which are for the configured server alone. */
function redirect(request: ToolRequest, status: number, location: string): ToolRequest | undefined {
  const url = URL.parse(location, request.url)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const isSameServer = url.origin === new URL(request.url).origin
  const becomesGet = status === 303 || ((status === 301 || status === 302) && request.method === 'POST')
  const { body, headers, method } = request
  const kept = isSameServer ? headers : {}
  if (becomesGet) return { url: url.href, method: 'GET', headers: kept }
  return { url: url.href, method, headers: kept, ...(body !== undefined && { body }) }
}

async function read(response: Response): Promise<Answered> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early ends the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > MOST_BYTES) return failed(`the answer is larger than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  const type = response.headers.get('content-type') ?? ''
  const bytes = Buffer.concat(chunks)
  if (bytes.includes(0)) return failed(`the answer is no text: ${type || 'its type is not said'}`)
  const text = bytes.toString('utf8')
  if (!response.ok) return failed(`the server answered ${response.status}: ${text}`)
  return { kind: 'answered', status: response.status, text }
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { cause } = thrown
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  return code ?? thrown.message
}
