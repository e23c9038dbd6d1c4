import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database, HealthRecorder } from '@parley/postgres'
import type { Api } from './api.ts'
import { createApp } from './app.ts'
import { hashToken } from './auth/hash-token.ts'
import { type ComposeOptions, compose } from './compose.ts'
import { type Listening, listen } from './listen.ts'
import { sweepTranscripts } from './reflections/reconcile.ts'
import { sweepInterrupted, sweepResponses, sweepStarts } from './reflections/sweeps.ts'
import type { VoiceSettings } from './reflections/voice-settings.ts'
import type { Services } from './services.ts'

/** A database that is gone must not keep the process from ending. */
const CANCEL_MS = 5_000
const CLOSE_MS = 3_000

const within = (ms: number, work: Promise<void>) => Promise.race([work, pause(ms, undefined, { ref: false })])

export interface RunningApi {
  readonly url: string
  readonly instanceId: string
  /** Cancels running turns, which keeps what they said, then stops serving. */
  stop(): Promise<void>
}

interface ApiOptions extends ComposeOptions {
  /** 0 takes any free one. */
  readonly port: number
  readonly ownerToken: string
  /** In place of `voice`, where its settings say where this API answers. */
  readonly voiceAt?: (apiUrl: string) => Promise<VoiceSettings | undefined>
}

/** The API and the console on a database that is there and migrated. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const app = Promise.withResolvers<Api>()
  // A port that was only looked for could be another program's by the time it is listened on.
  const listening = await listen(app.promise, options.port, (err) =>
    options.logger.warn({ err }, 'event stream broke off'),
  )
  try {
    const voice = await options.voiceAt?.(listening.url)
    const composed = await compose({ ...options, ...(voice && { voice }) })
    return await serve(composed, listening, options, app.resolve)
  } catch (failure) {
    await listening.close()
    throw failure
  }
}

async function serve(
  { services, database, toolbox, errors }: Awaited<ReturnType<typeof compose>>,
  listening: Listening,
  options: ApiOptions,
  sayReady: (app: Api) => void,
): Promise<RunningApi> {
  try {
    await database.tokens.ensureOwner({ tokenHash: hashToken(options.ownerToken) })
    sayReady(createApp(services))
    const sweep = sweepInterrupted(services)
    const transcripts = sweepTranscripts(services)
    const starts = sweepStarts(services)
    const takenBack = sweepTakenBack(services)
    const responses = sweepResponses(services)
    const kept = keepHealth(services.recorder, database, options.logger)
    return {
      url: listening.url,
      instanceId: services.instanceId,
      async stop() {
        sweep.stop()
        transcripts.stop()
        starts.stop()
        takenBack.stop()
        responses.stop()
        await within(CANCEL_MS, services.sessions.cancelAll())
        await listening.close()
        await within(CLOSE_MS, kept.stop())
        await within(CLOSE_MS, toolbox.close())
        await within(CLOSE_MS, errors.close())
        await within(CLOSE_MS, database.close())
      },
    }
  } catch (failure) {
    await database.close()
    throw failure
  }
}

const PRUNE_EVERY_MS = 3_600_000

/** Writes down how this process fares, again and again, and forgets what is too old. */
function keepHealth(
  recorder: HealthRecorder,
  { health }: Pick<Database, 'health'>,
  logger: Logger,
): { stop(): Promise<void> } {
  const writing = recorder.begin()
  const prune = () =>
    void health.prune().catch((err: unknown) => logger.warn({ err }, 'old samples of health are still there'))
  prune()
  const timer = setInterval(prune, PRUNE_EVERY_MS).unref()
  return {
    async stop() {
      clearInterval(timer)
      await writing.stop()
    },
  }
}

const EVERY_MS = 60_000

/** Closes agents that still hold unpublished or removed sources, at once and then every minute, in case the process that unpublished died. */
function sweepTakenBack({ runtimeSync, logger }: Pick<Services, 'runtimeSync' | 'logger'>) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const sweep = async () => {
    await runtimeSync?.closeTakenBack(signal).catch((err: unknown) => {
      if (!signal.aborted) logger.warn({ err }, 'could not look for agents that hold unpublished sources')
    })
    if (!signal.aborted) timer = setTimeout(() => void sweep(), EVERY_MS).unref()
  }
  if (runtimeSync) void sweep()
  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
    },
  }
}
