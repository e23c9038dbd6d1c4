import type { Browser, Page } from 'playwright-core'
import type { Ready } from './running-parley.ts'

interface Visit {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  /** Where one has been shown around before, so that the tour is not in the way. */
  readonly knowsTour?: boolean
}

/** Somebody's own browser, signed in; whatever the page complains of is kept. */
export async function signIn(
  browser: Browser,
  { url, token }: Pick<Ready, 'url' | 'token'>,
  { viewport = { width: 1280, height: 800 }, colorScheme = 'light', knowsTour = true }: Visit = {},
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const context = await browser.newContext({ locale: 'en-US', viewport, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  if (knowsTour) {
    await fetch(`${url}/v1/me/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"tour":"done"}',
    })
  }
  await page.goto(`${url}/#token=${token}`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return { page, complaints }
}
