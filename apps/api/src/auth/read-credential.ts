import { PlatformError } from '@parley/contracts'
import type { Context } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { readPageCookie } from './page-cookie.ts'

/** The parts of a request that identify the caller and the calling page. */
export interface CredentialRequest {
  readonly method: string
  readonly host?: string | undefined
  readonly authorization?: string | undefined
  readonly signIn?: string | undefined
  readonly visit?: string | undefined
  /** `visitor` for a page that visitors use. */
  readonly as?: string | undefined
  readonly fetchSite?: string | undefined
  readonly origin?: string | undefined
}

/** The authorization header, or a cookie in the same form. A cookie counts only from our own pages. */
export function decideCredential(request: CredentialRequest): string | undefined {
  const { authorization, signIn, visit, as } = request
  if (authorization !== undefined) return authorization
  const secret = as === 'visitor' ? visit : (signIn ?? visit)
  if (secret === undefined) return undefined
  if (!isFromOurPage(request)) throw createForeignPageError()
  return `Bearer ${secret}`
}

/** Whether the request comes from our own page. Browsers set these headers, pages cannot. */
function isFromOurPage({ method, host, fetchSite, origin }: CredentialRequest): boolean {
  const isHarmless = method === 'GET' || method === 'HEAD'
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || (isHarmless && fetchSite === 'none')
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host
  return isHarmless
}

const createForeignPageError = () =>
  new PlatformError('forbidden', {
    message: 'This request comes from a page of another site. Open the console itself.',
  })

export const readCredential = (c: Context<ApiEnv>): string | undefined =>
  decideCredential({
    method: c.req.method,
    host: c.req.header('host'),
    authorization: c.req.header('authorization'),
    signIn: readPageCookie(c, 'sign-in'),
    visit: readPageCookie(c, 'visit'),
    as: c.req.header('x-parley-as'),
    fetchSite: c.req.header('sec-fetch-site'),
    origin: c.req.header('origin'),
  })

/** Also for requests without a cookie. Programs send neither header. */
export function refuseForeignPages(c: Context<ApiEnv>): void {
  const fetchSite = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  if (fetchSite === undefined && origin === undefined) return
  if (!isFromOurPage({ method: c.req.method, host: c.req.header('host'), fetchSite, origin }))
    throw createForeignPageError()
}

/** Whether a script of our own page calls; it gets a cookie in place of a token. */
export const isOurPage = (c: Context<ApiEnv>): boolean => c.req.header('sec-fetch-site') === 'same-origin'
