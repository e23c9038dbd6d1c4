import type { BrowserContextOptions, Page } from 'playwright-core'
import type { ConsoleServer } from './console-server.ts'

interface Visit extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  /** Who signs in; the owner where absent. */
  readonly token?: string
  /** Where one has been shown around before, so that the tour is not in the way. */
  readonly knowsTour?: boolean
}

export interface SignedIn {
  readonly page: Page
  /** What the page has complained of. */
  readonly complaints: readonly string[]
}

/** Somebody's own browser, signed in by the link, on a page of the console. */
export async function signIn(
  { ready, newContext }: Pick<ConsoleServer, 'ready' | 'newContext'>,
  path = '/',
  visit: Visit = {},
): Promise<SignedIn> {
  const { token = ready.token, knowsTour = true, viewport = DESK, colorScheme = 'light' } = visit
  const context = await newContext({ viewport, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  if (knowsTour) {
    await fetch(`${ready.url}/v1/me/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"tour":"done"}',
    })
  }
  await page.goto(`${ready.url}${path}#token=${token}`)
  return { page, complaints }
}

const DESK = { width: 1280, height: 800 }
