import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ApiEnv } from '../api.ts'

/** Identifies a signed-in person, or a visitor in one session. */
export type PageCookie = 'sign-in' | 'visit'

/** Named for the port: browsers share a host's cookies between its ports, so two local servers would mix them up. */
const nameOf = (c: Context<ApiEnv>, cookie: PageCookie) =>
  `parley-${cookie}-${/:(\d+)$/.exec(c.req.header('host') ?? '')?.[1] ?? 'default'}`

export const readPageCookie = (c: Context<ApiEnv>, cookie: PageCookie): string | undefined =>
  getCookie(c, nameOf(c, cookie))

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
  setCookie(c, nameOf(c, cookie), secret, {
    path,
    maxAge: seconds,
    httpOnly: true,
    sameSite: 'Strict',
    secure: c.req.header('x-forwarded-proto') === 'https',
  })
}

export function dropPageCookie(c: Context<ApiEnv>, cookie: PageCookie, path: string): void {
  deleteCookie(c, nameOf(c, cookie), { path })
}
