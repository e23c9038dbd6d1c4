import type { ArtifactStore } from '@parley/reflections'
import type { Logger } from 'pino'

/** So long a build that was given up waits at most until it is tried again. */
const EVERY_MS = 300_000

/** Asks again and again for what should speak and was never built, so that nothing stays old because its build was given up. */
export function keepBuilt(
  artifacts: Pick<ArtifactStore, 'askForMissing'>,
  logger: Logger,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  let asking = Promise.resolve()
  const timer = setInterval(() => {
    asking = artifacts.askForMissing('meanwhile').catch((err: unknown) => {
      logger.warn({ err }, 'could not look for what should be built')
    })
  }, everyMs).unref()
  return {
    stop() {
      clearInterval(timer)
      return asking
    },
  }
}
