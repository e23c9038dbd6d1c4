import { freshDatabase } from '@parley/postgres/testing'
import { type Environment, readEnvironment } from '../environment.ts'
import { type Parts, type PartsHost, type ReadyServer, startServer } from '../up/bring-up.ts'
import { claimHome } from '../up/run-file.ts'
import { startVoiceProvider, startWorker } from '../up/start-parts.ts'
import { KEY } from './parley-process.ts'

interface ServerOptions {
  readonly home: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface TestServer {
  readonly ready: ReadyServer
  readonly databaseUrl: string
  /** Everything printed so far. */
  readonly output: () => string
  stop(): Promise<void>
}

/**
 * Starts `parley up` on its own database, with worker and voice provider in this process to save CPU. No demo
 * unless `PARLEY_DEMO` is set.
 */
export async function runningServer({
  home,
  environment: variables = {},
}: ServerOptions): Promise<TestServer> {
  const { databaseUrl, drop } = await freshDatabase()
  const environment = readEnvironment({
    PATH: process.env['PATH'],
    HOME: home,
    PARLEY_HOME: home,
    PARLEY_HISTORY_KEY: KEY,
    PARLEY_PORT: '0',
    PARLEY_VOICE_PORT: '0',
    PARLEY_DEMO: '0',
    DATABASE_URL: databaseUrl,
    ...variables,
  })
  const claim = await claimHome(home)
  if (claim.kind === 'taken') throw new Error(`A server already runs on ${home}.`)
  const undo = [drop, () => claim.release()]
  const stop = async () => {
    for (const clearUp of undo.toReversed()) await clearUp()
  }
  let output = ''
  const ready = Promise.withResolvers<ReadyServer>()
  try {
    await startServer({
      environment,
      claim,
      say: (line) => (output += `${line}\n`),
      sayReady: ready.resolve,
      startParts: (host) => startPartsHere(environment, host),
      undo,
      onLost: ready.reject,
    })
    return { ready: await ready.promise, databaseUrl, output: () => output, stop }
  } catch (failure) {
    await stop()
    throw failure
  }
}

function startPartsHere(environment: Environment, { databaseUrl, logger, say }: PartsHost): Parts {
  const host = { databaseUrl, createLogger: () => logger, onNotice: say }
  const worker = startWorker(environment, host)
  const voice = startVoiceProvider(environment, host)
  // Either may fail while we wait for the other.
  for (const part of [worker, voice]) part.catch(() => undefined)
  return {
    worker: { pid: process.pid, ready: worker, stop: async () => (await worker).stop() },
    voice: { url: voice.then(({ url }) => url), stop: async () => (await voice).stop() },
  }
}
