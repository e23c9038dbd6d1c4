import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import type { Browser } from 'playwright-core'
import { openBrowser } from './open-browser.ts'
import { type RunningParley, startParley, temporaryHome } from './running-parley.ts'

export interface ConsoleServer {
  readonly parley: RunningParley
  readonly browser: Browser
  readonly databaseUrl: string
  /** Another process at the same address, once the one before is gone. */
  again(): Promise<RunningParley>
  close(): Promise<void>
}

interface Wanted {
  /** What `config.toml` holds. */
  readonly config?: string
  /** What the browser is started with. */
  readonly flags?: readonly string[]
}

/** A running Parley and a browser, on a database of the tests' common server: to make one for each takes seconds. */
export async function openConsole({ config, flags = [] }: Wanted = {}): Promise<ConsoleServer> {
  const place = await temporaryHome()
  const { databaseUrl, drop } = await freshDatabase()
  if (config !== undefined) await writeFile(join(place.home, 'config.toml'), config)
  const running: RunningParley[] = []
  const start = async (port = 0) => {
    const parley = await startParley(place.home, { databaseUrl, port })
    running.push(parley)
    return parley
  }
  const browsing = openBrowser(...flags)
  const close = async () => {
    await (await browsing).close()
    await running.at(-1)?.stop('SIGINT')
    await place.remove()
    await drop()
  }
  try {
    const parley = await start()
    const again = () => start(Number(new URL(parley.ready.url).port))
    return { parley, browser: await browsing, databaseUrl, again, close }
  } catch (failure) {
    await close()
    throw failure
  }
}
