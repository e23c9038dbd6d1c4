import { join } from 'node:path'
import { startApi } from '@parley/api'
import { type ApiClient, createApiClient } from '@parley/api-client'
import { maskSecrets } from '@parley/engine'
import { type BundledPostgres, migrate, startBundledPostgres } from '@parley/postgres'
import type { Environment } from '../environment.ts'
import { readJwtIssuer, openServerSettings } from '../config/server-settings.ts'
import { createVoiceOpener, joinSecrets } from '../config/voice-settings.ts'
import { createLogger } from '../log/create-logger.ts'
import { addDemo } from './add-demo.ts'
import type { KeptChild, KeptVoice } from './keep-child.ts'
import { type HomeClaim, OWNER_TOKEN, isAlive, ensureSecret, shortenHome } from './run-file.ts'

type PrintLine = (line: string) => void

export interface ReadyServer {
  readonly url: string
  readonly token: string
  /** The local voice provider. */
  readonly voiceUrl: string
}

export interface PartsHost {
  readonly databaseUrl: string
  readonly logger: ReturnType<typeof createLogger>
  readonly say: PrintLine
}

/** The processes besides the API. */
export interface Parts {
  readonly worker: KeptChild
  readonly voice: KeptVoice
}

interface StartServerOptions {
  readonly environment: Environment
  readonly claim: HomeClaim
  readonly say: PrintLine
  readonly sayReady: (ready: ReadyServer) => void
  readonly startParts: (host: PartsHost) => Parts
  /** Stops each started part, in start order. */
  readonly undo: (() => Promise<void>)[]
  /** Called when the server cannot continue. */
  readonly onLost: (reason: unknown) => void
}

/** Starts everything on one machine, in order, and adds a stop function for each part to `undo`. */
export async function startServer(options: StartServerOptions): Promise<void> {
  const { environment, claim, say, sayReady, startParts, undo, onLost } = options
  const { home } = environment
  const onNotice: PrintLine = (notice) => say(`  ! ${notice}`)
  const runStep = async <T>(
    name: string,
    work: () => Promise<T>,
    describe: (done: T) => string,
  ): Promise<T> => {
    const startedAt = performance.now()
    const done = await work()
    say(`  ✓ ${name.padEnd(9)} ${describe(done)} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
    return done
  }

  const { settings, close } = await openServerSettings(environment, onNotice)
  undo.push(async () => close())
  const databaseUrl =
    environment.databaseUrl ??
    (
      await runStep(
        'postgres',
        async () => {
          const server = await startBundledPostgres({ home, onNotice })
          const watch = watchPostgres(server, { home, say, onLost })
          undo.push(() => watch.stop())
          return server
        },
        ({ outcome }) => OUTCOMES[outcome],
      )
    ).url
  await runStep(
    'database',
    () => migrate({ databaseUrl }),
    () => 'tables are ready',
  )
  const token = await ensureSecret(OWNER_TOKEN, { home, set: environment.ownerToken, onNotice })
  const voice = createVoiceOpener(environment)
  const secrets = joinSecrets(settings.secrets, voice.secrets)
  const logger = createLogger({ file: join(home, 'logs', 'parley.log') }, (line) =>
    maskSecrets(line, secrets()),
  )
  const parts = startParts({ databaseUrl, logger, say })
  undo.push(
    () => parts.worker.stop(),
    () => parts.voice.stop(),
  )
  const voiceUrl = await runStep(
    'voice',
    () => parts.voice.url,
    (url) => `${url}, ElevenLabs-compatible`,
  )
  const sentryDsn = environment.variable('SENTRY_DSN')
  const api = await runStep(
    'api',
    () =>
      startApi({
        databaseUrl,
        home,
        port: environment.port,
        hosts: environment.hosts,
        ...(environment.publicUrl !== undefined && { publicUrl: environment.publicUrl }),
        ownerToken: token,
        logger,
        ...settings,
        secrets,
        voiceAt: (apiUrl) => voice.open({ apiUrl, localUrl: voiceUrl, onNotice }),
        ...(sentryDsn !== undefined && { sentryDsn }),
        ...readJwtIssuer(environment),
      }),
    ({ url }) => url,
  )
  undo.push(() => api.stop())
  await runStep(
    'worker',
    () => parts.worker.ready,
    () => `process ${parts.worker.pid}, imports sources in the background`,
  )
  await claim.announce({ ...api, voiceUrl, publicUrl: environment.publicUrl })
  if (environment.demo)
    undo.push(
      addDemoInBackground({ client: createApiClient({ baseUrl: api.url, token }), home, say, logger }),
    )
  say(`  data and log in ${shortenHome(home)}; Ctrl-C stops everything\n`)
  sayReady({ url: api.url, token, voiceUrl })
}

const OUTCOMES = { created: 'created and started', started: 'started', adopted: 'already running' } as const

interface DemoHost {
  readonly client: ApiClient
  readonly home: string
  readonly say: (line: string) => void
  readonly logger: ReturnType<typeof createLogger>
}

/** Adds the demo in the background; its failure stops nothing. Returns a stop function. */
function addDemoInBackground(host: DemoHost): () => Promise<void> {
  const stopping = new AbortController()
  const adding = tryAddDemo(host, stopping.signal)
  return async () => {
    stopping.abort()
    await adding
  }
}

async function tryAddDemo({ client, home, say, logger }: DemoHost, signal: AbortSignal): Promise<void> {
  try {
    const demo = await addDemo(client, home, signal)
    if (!demo) return
    const { sources, facts, failed } = demo
    const failures = failed > 0 ? `, ${failed} of them failed` : ''
    say(`  ✓ demo: ${sources} sources, ${facts} facts${failures}`)
  } catch (err) {
    if (!signal.aborted) logger.error({ err }, 'demo')
  }
}

const POLL_MS = 500

/**
 * Restarts the bundled server whenever it dies. On its old port, the pools reconnect; on another one, `onLost`
 * is called.
 */
function watchPostgres(
  first: BundledPostgres,
  { home, say, onLost }: { home: string; say: (line: string) => void; onLost: (reason: unknown) => void },
) {
  let server = first
  let reviving: Promise<void> | undefined
  const restartPostgres = async () => {
    say('  postgres stopped; restarting …')
    const next = await startBundledPostgres({ home })
    server = next
    if (next.url !== first.url) throw new Error('Postgres restarted at another address; restart Parley.')
    say('  ✓ postgres  is back')
  }
  const timer = setInterval(() => {
    if (reviving || isAlive(server.pid)) return
    reviving = restartPostgres()
      .catch(onLost)
      .finally(() => {
        reviving = undefined
      })
  }, POLL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await reviving
      await server.stop()
    },
  }
}
