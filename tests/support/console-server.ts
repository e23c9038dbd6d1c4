import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { runningServer } from '../../apps/cli/src/testing/running-server.ts'
import { requestApi } from './call-api.ts'
import { sharedBrowser } from './open-browser.ts'
import { type ParleyAddress, createTemporaryHome } from './running-parley.ts'

export interface ConsoleServer {
  readonly ready: ParleyAddress
  readonly databaseUrl: string
  /** Opens a separate context in the shared browser. It is closed with the test. */
  readonly newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Calls the API, as the owner by default. Throws if the call is refused. */
  readonly call: (method: string, path: string, body?: object, token?: string) => Promise<unknown>
  /** Stops the server; its pages stay open. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Enough for a busy machine. */
export const PATIENCE_MS = 60_000

interface ConsoleServerOptions {
  /** Content of `config.toml`. */
  readonly config?: string
  readonly demo?: boolean
  /** Default: the shared browser. */
  readonly browser?: Promise<Browser>
}

/** Starts a server in this process with its own database, and a browser. */
export async function openConsole(wanted: ConsoleServerOptions = {}): Promise<ConsoleServer> {
  const { config, demo = false, browser = sharedBrowser() } = wanted
  const temporary = await createTemporaryHome()
  if (config !== undefined) await writeFile(join(temporary.home, 'config.toml'), config)
  const environment = { PARLEY_DEMO: demo ? '1' : '0' }
  const { ready, databaseUrl, ...server } = await runningServer({ home: temporary.home, environment }).catch(
    async (failure: unknown) => {
      await temporary.remove()
      throw failure
    },
  )
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= server.stop())
  return {
    ready,
    databaseUrl,
    newContext: (options) => newContext(browser, options),
    async call(method, path, body, token = ready.token) {
      const { status, answer } = await requestApi({ url: ready.url, token }, method, path, body)
      if (status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      return answer
    },
    stop,
    async close() {
      await stop()
      await temporary.remove()
    },
  }
}

/** Opens a separate context. It is closed with the test, because an open page keeps calling the server. */
export async function newContext(
  browser: Promise<Browser>,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await (await browser).newContext({ locale: 'en-US', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  onTestFinished(async () => {
    // A request that a test delayed may still be pending.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  return context
}
