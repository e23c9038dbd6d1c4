import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database, HealthRecorder } from '@parley/postgres'
import type { Api } from './api-env.ts'
import { createApp } from './app.ts'
import { hashToken } from './auth/tokens.ts'
import { type ComposeOptions, compose } from './compose.ts'
import { type Listening, listen } from './listen.ts'
import {
  sweepInterrupted,
  sweepOutdatedAgents,
  sweepResponses,
  sweepStarts,
  sweepTranscripts,
} from './reflections/sweeps.ts'
import type { VoiceSettings } from './reflections/voice-settings.ts'

/** A lost database must not keep the process from ending. */
const CANCEL_MS = 5_000
const CLOSE_MS = 3_000

const waitAtMost = (ms: number, work: Promise<void>) =>
  Promise.race([work, pause(ms, undefined, { ref: false })])

export interface RunningApi {
  readonly url: string
  readonly instanceId: string
  /** Cancels running turns, which keeps what they said, then stops serving. */
  stop(): Promise<void>
}

interface ApiOptions extends ComposeOptions {
  /** 0 for any free port. */
  readonly port: number
  readonly ownerToken: string
  /** Replaces `voice` if its settings need the URL of this API. */
  readonly voiceAt?: (apiUrl: string) => Promise<VoiceSettings | undefined>
}

/** Serves the API and the console on a migrated database. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const app = Promise.withResolvers<Api>()
  // Listen first: a port that was only checked could be taken by another program.
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
  resolveApp: (app: Api) => void,
): Promise<RunningApi> {
  try {
    await database.tokens.ensureOwner({ tokenHash: hashToken(options.ownerToken) })
    resolveApp(createApp(services))
    const sweeps = [
      sweepInterrupted(services),
      sweepTranscripts(services),
      sweepStarts(services),
      sweepOutdatedAgents(services),
      sweepResponses(services),
    ]
    const healthRecords = startHealthRecords(services.recorder, database, options.logger)
    return {
      url: listening.url,
      instanceId: services.instanceId,
      async stop() {
        for (const sweep of sweeps) sweep.stop()
        await waitAtMost(CANCEL_MS, services.sessions.cancelAll())
        await listening.close()
        await waitAtMost(CLOSE_MS, healthRecords.stop())
        await waitAtMost(CLOSE_MS, toolbox.close())
        await waitAtMost(CLOSE_MS, errors.close())
        await waitAtMost(CLOSE_MS, database.close())
      },
    }
  } catch (failure) {
    await database.close()
    throw failure
  }
}

const PRUNE_EVERY_MS = 3_600_000

/** Records the health of this process repeatedly, and deletes old records. */
function startHealthRecords(
  recorder: HealthRecorder,
  { health }: Pick<Database, 'health'>,
  logger: Logger,
): { stop(): Promise<void> } {
  const writing = recorder.start()
  const prune = () =>
    void health
      .prune()
      .catch((err: unknown) => logger.warn({ err }, 'old health samples could not be deleted'))
  prune()
  const timer = setInterval(prune, PRUNE_EVERY_MS).unref()
  return {
    async stop() {
      clearInterval(timer)
      await writing.stop()
    },
  }
}
