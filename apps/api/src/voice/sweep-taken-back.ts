import type { Services } from '../services.ts'

const EVERY_MS = 60_000

/** Sees, at once and again and again, that no agent keeps what was taken back, though the process that was to close it died. */
export function sweepTakenBack({ runtimeSync, logger }: Pick<Services, 'runtimeSync' | 'logger'>) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const sweep = async () => {
    await runtimeSync?.closeTakenBack(signal).catch((err: unknown) => {
      if (!signal.aborted) logger.warn({ err }, 'could not look for agents that hold what was taken back')
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
