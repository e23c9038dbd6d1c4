import { PlatformError } from '@parley/contracts'
import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'
import { readPageCookie } from './page-cookie.ts'

/** What of a request says who calls, and from which page. */
export interface CredentialRequest {
  readonly method: string
  readonly host?: string | undefined
  readonly authorization?: string | undefined
  readonly signIn?: string | undefined
  readonly visit?: string | undefined
  /** `visitor` where the page is one that visitors see. */
  readonly as?: string | undefined
  readonly fetchSite?: string | undefined
  readonly origin?: string | undefined
}

/** As the header says it, whether it came there or in a cookie. A cookie counts only where it comes from a page of ours. */
export function decideCredential(asked: CredentialRequest): string | undefined {
  const { authorization, signIn, visit, as } = asked
  if (authorization !== undefined) return authorization
  const secret = as === 'visitor' ? visit : (signIn ?? visit)
  if (secret === undefined) return undefined
  if (!isFromOurPage(asked)) throw foreign()
  return `Bearer ${secret}`
}

/** Whether one of our own pages asks; browsers say so in these headers, which no page can set. */
function isFromOurPage({ method, host, fetchSite, origin }: CredentialRequest): boolean {
  const isHarmless = method === 'GET' || method === 'HEAD'
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || (isHarmless && fetchSite === 'none')
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host
  return isHarmless
}

const foreign = () =>
  new PlatformError('forbidden', {
    message: 'A page of another site asks for this in your name. Open the console itself.',
  })

export const credentialOf = (c: Context<ApiEnv>): string | undefined =>
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

/** Also where there is no cookie yet. A program says neither, and is nobody's page. */
export function refuseForeignPages(c: Context<ApiEnv>): void {
  const fetchSite = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  if (fetchSite === undefined && origin === undefined) return
  if (!isFromOurPage({ method: c.req.method, host: c.req.header('host'), fetchSite, origin })) throw foreign()
}

/** Whether a script of our own page asks, which is then known by a cookie. */
export const isOurPage = (c: Context<ApiEnv>): boolean => c.req.header('sec-fetch-site') === 'same-origin'
