import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ApiEnv } from '../api.ts'

/** What a page is known by: somebody who signed in, or a visitor in one session. */
export type PageCookie = 'sign-in' | 'visit'

/** Browsers give a host's cookies to all of its ports, so that two servers on one machine would take each other's. */
const nameOf = (c: Context<ApiEnv>, cookie: PageCookie) =>
  `parley-${cookie}-${/:(\d+)$/.exec(c.req.header('host') ?? '')?.[1] ?? 'default'}`

export const readPageCookie = (c: Context<ApiEnv>, cookie: PageCookie): string | undefined =>
  getCookie(c, nameOf(c, cookie))

interface Given {
  readonly secret: string
  /** Below which it is sent along. */
  readonly path: string
  readonly seconds: number
}

/** No script can read it, and no other site's page makes a browser send it. */
export function setPageCookie(
  c: Context<ApiEnv>,
  cookie: PageCookie,
  { secret, path, seconds }: Given,
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
