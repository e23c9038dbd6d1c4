import type { BrowserContextOptions, Page } from 'playwright-core'
import type { ConsoleServer } from './console-server.ts'

interface SignInOptions extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  /** Default: the owner's. */
  readonly token?: string
  /** Whether the tour is already done. Default: yes. */
  readonly knowsTour?: boolean
}

export interface SignedInPage {
  readonly page: Page
  /** Errors of the page and its console. */
  readonly complaints: readonly string[]
}

/** Opens a page of the console in a new context, signed in by a link. */
export async function signIn(
  { ready, newContext }: Pick<ConsoleServer, 'ready' | 'newContext'>,
  path = '/',
  visit: SignInOptions = {},
): Promise<SignedInPage> {
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
