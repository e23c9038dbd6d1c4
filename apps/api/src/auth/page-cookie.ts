import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ApiEnv } from '../api-env.ts'

/** Identifies a signed-in person, or a visitor in one session. */
export type PageCookie = 'sign-in' | 'visit'

/** The name contains the port, because browsers share a host's cookies between its ports. */
const getCookieName = (c: Context<ApiEnv>, cookie: PageCookie) =>
  `parley-${cookie}-${/:(\d+)$/.exec(c.req.header('host') ?? '')?.[1] ?? 'default'}`

export const readPageCookie = (c: Context<ApiEnv>, cookie: PageCookie): string | undefined =>
  getCookie(c, getCookieName(c, cookie))

interface CookieValue {
  readonly secret: string
  /** The path prefix of the requests that carry it. */
  readonly path: string
  readonly seconds: number
}

/** Scripts cannot read it, and requests of other sites do not carry it. */
export function setPageCookie(
  c: Context<ApiEnv>,
  cookie: PageCookie,
  { secret, path, seconds }: CookieValue,
): void {
  setCookie(c, getCookieName(c, cookie), secret, {
    path,
    maxAge: seconds,
    httpOnly: true,
    sameSite: 'Strict',
    secure: c.req.header('x-forwarded-proto') === 'https',
  })
}

export function deletePageCookie(c: Context<ApiEnv>, cookie: PageCookie, path: string): void {
  deleteCookie(c, getCookieName(c, cookie), { path })
}
