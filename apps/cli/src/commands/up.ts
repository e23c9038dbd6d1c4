import { homedir } from 'node:os'
import { join } from 'node:path'
import { startApi } from '@parley/api'
import { createApiClient } from '@parley/api-client'
import { maskSecrets, type Secret } from '@parley/engine'
import { migrate, startBundledPostgres } from '@parley/postgres'
import { type Config, readConfig } from '../config.ts'
import { jwtIssuerOf } from '../config/jwt-issuer.ts'
import { openServerSettings } from '../config/server-settings.ts'
import { voiceSettings, withSecrets } from '../config/voice-settings.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import type { Io } from '../io.ts'
import { jsonLine } from '../render/json-line.ts'
import { demoInBackground } from '../up/demo-in-background.ts'
import { keepChild } from '../up/keep-child.ts'
import { keepVoice } from '../up/keep-voice.ts'
import { claimHome, type Claim, type Run } from '../up/run-file.ts'
import { keptSecret, OWNER_TOKEN } from '../up/kept-secret.ts'
import { portFor } from '../up/port-for.ts'
import { stopSignal } from '../up/stop-signal.ts'
import { tokenAt } from '../up/token-at.ts'
import { watchPostgres } from '../up/watch-postgres.ts'
import type { RunCommand } from './command.ts'

type Say = (line: string) => void
interface Ready {
  readonly url: string
  readonly token: string
  /** Of the local voice provider. */
  readonly voiceUrl: string
}
type SayReady = (ready: Ready) => void

/** Everything on one machine: Postgres, migrations, API, worker, voice provider and console, until Ctrl-C. */
export const up: RunCommand = async ({ io, json }) => {
  const config = readConfig(io.environment)
  // A program reads one document from standard output, and what is said to people goes past it.
  const say: Say = (line) => (json ? io.stderr : io.stdout).write(`${line}\n`)
  const claim = await claimHome(config.home)
  if (claim.kind === 'taken') {
    const { run } = claim
    const token = run?.url && (await tokenAt(run.url, config))
    if (json) io.stdout.write(jsonLine({ alreadyRunning: true, ...run, ...(token && { token }) }))
    else say(alreadyRunning(run, config.home))
    if (!json && run?.url && token) say(openLine(run.url, token))
    return EXIT.done
  }
  const sayReady: SayReady = (ready) => {
    if (json) io.stdout.write(jsonLine(ready))
    else say(`${openLine(ready.url, ready.token)}\n\nready ${JSON.stringify(ready)}`)
  }
  const stop = stopSignal()
  const lost = Promise.withResolvers<never>()
  const undo: (() => Promise<void>)[] = [() => claim.release()]
  try {
    const steps = bringUp({
      config,
      environment: io.environment,
      claim,
      say,
      sayReady,
      undo,
      onLost: lost.reject,
    })
    await Promise.race([steps, stop.asked])
    await (stop.isAsked() ? Promise.allSettled([steps]) : Promise.race([stop.asked, lost.promise]))
  } finally {
    if (stop.isAsked()) say('\nstopping …')
    for (const clearUp of undo.toReversed()) {
      await clearUp().catch((failure: unknown) =>
        io.stderr.write(`  could not clear up: ${String(failure)}\n`),
      )
    }
  }
  say('stopped')
  return EXIT.done
}

interface BringUp {
  readonly config: Config
  /** That of the processes which are started. */
  readonly environment: Io['environment']
  readonly claim: Claim
  readonly say: Say
  readonly sayReady: SayReady
  /** What ends each thing that was started, in the order in which they were. */
  readonly undo: (() => Promise<void>)[]
  /** Told of what cannot be gone on from. */
  readonly onLost: (reason: unknown) => void
}

async function bringUp({ config, environment, claim, say, sayReady, undo, onLost }: BringUp): Promise<void> {
  const { home } = config
  const onNotice: Say = (notice) => say(`  ! ${notice}`)
  const step = async <T>(name: string, work: () => Promise<T>, told: (done: T) => string): Promise<T> => {
    const began = performance.now()
    const done = await work()
    say(`  ✓ ${name.padEnd(9)} ${told(done)} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
    return done
  }

  const { settings, close } = await openServerSettings(config, onNotice)
  undo.push(async () => close())
  const databaseUrl =
    config.databaseUrl ??
    (
      await step(
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
  await step(
    'database',
    () => migrate({ databaseUrl }),
    () => 'its tables are there',
  )
  const token = await keptSecret(OWNER_TOKEN, { home, set: config.ownerToken, onNotice })
  let ofVoice = noSecrets
  const secrets = withSecrets(settings.secrets, () => ofVoice())
  const logger = createLogger({ file: join(home, 'logs', 'parley.log') }, (line) =>
    maskSecrets(line, secrets()),
  )
  const childHost = { environment: () => ({ ...environment, DATABASE_URL: databaseUrl }), logger, say }
  const worker = keepChild({ ...childHost, name: 'worker' })
  undo.push(() => worker.stop())
  const kept = keepVoice(childHost, config.voicePort)
  undo.push(() => kept.stop())
  const voiceUrl = await step(
    'voice',
    () => kept.url,
    (url) => `${url}, speaks ElevenLabs’ protocol`,
  )
  const port = await portFor(config.port)
  const apiUrl = `http://127.0.0.1:${port}`
  const { voice, secrets: hidden } = await voiceSettings(config, { apiUrl, localUrl: voiceUrl, onNotice })
  ofVoice = hidden
  const sentryDsn = config.variable('SENTRY_DSN')
  const api = await step(
    'api',
    () =>
      startApi({
        databaseUrl,
        home,
        port,
        hosts: config.hosts,
        ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl }),
        ownerToken: token,
        logger,
        ...settings,
        secrets,
        ...(voice && { voice }),
        ...(sentryDsn !== undefined && { sentryDsn }),
        ...jwtIssuerOf(config),
      }),
    ({ url }) => url,
  )
  undo.push(() => api.stop())
  await step(
    'worker',
    () => worker.ready,
    () => `process ${worker.pid}, learns in the background`,
  )
  await claim.announce({ ...api, voiceUrl, publicUrl: config.publicUrl })
  if (config.demo)
    undo.push(demoInBackground({ client: createApiClient({ baseUrl: api.url, token }), home, say, logger }))
  say(`  data and log in ${tilde(home)}; Ctrl-C stops everything\n`)
  sayReady({ url: api.url, token, voiceUrl })
}

const NO_SECRETS: readonly Secret[] = []
const noSecrets = (): readonly Secret[] => NO_SECRETS

const OUTCOMES = { created: 'made and started', started: 'started', adopted: 'was still running' } as const

const openLine = (url: string, token: string) => `  open ${url}/#token=${token}`

function alreadyRunning(run: Run | undefined, home: string): string {
  const where = run?.url === undefined ? 'is just starting' : `is running at ${run.url}`
  const mend = run ? ` (process ${run.pid}). Ctrl-C there, or \`kill ${run.pid}\`, stops it.` : '.'
  return `Parley ${where} with the data in ${tilde(home)}${mend}`
}

const tilde = (path: string) => (path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path)
