import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { runningServer } from '../../apps/cli/src/testing/running-server.ts'
import { sharedBrowser } from './open-browser.ts'
import { type Ready, temporaryHome } from './running-parley.ts'

export interface ConsoleServer {
  readonly ready: Ready
  readonly databaseUrl: string
  /** A window of its own in the browser that the tests of a worker share, closed with the test. */
  readonly newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Stops the server; its windows stay. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** As long as a busy machine takes. */
export const PATIENCE_MS = 60_000

interface Wanted {
  /** What `config.toml` holds. */
  readonly config?: string
  readonly demo?: boolean
  /** In place of the browser that is shared. */
  readonly browser?: Promise<Browser>
}

/** A server in this process, on a database of its own, and a browser. */
export async function openConsole(wanted: Wanted = {}): Promise<ConsoleServer> {
  const { config, demo = false, browser = sharedBrowser() } = wanted
  const place = await temporaryHome()
  if (config !== undefined) await writeFile(join(place.home, 'config.toml'), config)
  const environment = { PARLEY_DEMO: demo ? '1' : '0' }
  const { ready, databaseUrl, ...server } = await runningServer({ home: place.home, environment }).catch(
    async (failure: unknown) => {
      await place.remove()
      throw failure
    },
  )
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= server.stop())
  return {
    ready,
    databaseUrl,
    newContext: (options) => newContext(browser, options),
    stop,
    async close() {
      await stop()
      await place.remove()
    },
  }
}

/** A window of its own, closed with the test: a page that is left open goes on asking the server. */
export async function newContext(
  browser: Promise<Browser>,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await (await browser).newContext({ locale: 'en-US', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  onTestFinished(async () => {
    // A request that is held up by a test may still be on its way.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  return context
}
