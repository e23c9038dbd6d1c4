import type { Database, HealthRecorder } from '@parley/postgres'
import type { Logger } from 'pino'

const PRUNE_EVERY_MS = 3_600_000

/** Writes down how this process fares, again and again, and forgets what is too old. */
export function keepHealth(
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
