import type { Services } from './services.ts'

const EVERY_MS = 2_000

/** Ends, again and again, the turns whose process died, in this or any other process on the database. */
export function sweepInterrupted({ sessions, logger }: Pick<Services, 'sessions' | 'logger'>) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const sweep = async () => {
    try {
      const settled = await sessions.settleInterrupted()
      if (settled > 0) logger.warn({ settled }, 'ended turns whose process died')
    } catch (err) {
      logger.warn({ err }, 'could not look for turns whose process died')
    }
    if (!stopped) timer = setTimeout(() => void sweep(), EVERY_MS).unref()
  }

  void sweep()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
