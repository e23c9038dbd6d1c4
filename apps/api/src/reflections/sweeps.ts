import { failOverdueStarts, reconcileCalls } from '@parley/reflections'
import type { Services } from '../services.ts'
import { reflectionHost } from './reflection-sessions.ts'

interface Sweep {
  readonly everyMs: number
  /** Whether the first run is now, not after the interval. */
  readonly isAtOnce?: boolean
  readonly run: (signal: AbortSignal) => Promise<unknown>
  /** The log message for a failed run. */
  readonly failed: string
}

/** Repeats a task, with the interval between the end of one run and the start of the next. */
function repeat({ everyMs, isAtOnce, run, failed }: Sweep, { logger }: Pick<Services, 'logger'>) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    if (!signal.aborted) timer = setTimeout(() => void sweep(), everyMs).unref()
  }
  const sweep = async () => {
    await run(signal).catch((err: unknown) => {
      if (!signal.aborted) logger.warn({ err }, failed)
    })
    schedule()
  }
  if (isAtOnce) void sweep()
  else schedule()
  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
    },
  }
}

/** Fails the sessions whose process died during their start. */
export const sweepStarts = (services: Services) =>
  repeat(
    {
      everyMs: 30_000,
      run: () => failOverdueStarts(services, Date.now()),
      failed: 'could not look for sessions that did not start',
    },
    services,
  )

/** Ends the turns whose process died, in any process on the database. */
export const sweepInterrupted = ({ sessions, logger }: Services) =>
  repeat(
    {
      everyMs: 2_000,
      isAtOnce: true,
      failed: 'could not look for turns whose process died',
      async run() {
        const settled = await sessions.settleInterrupted()
        if (settled > 0) logger.warn({ settled }, 'ended turns whose process died')
      },
    },
    { logger },
  )

/** Reads calls without a webhook from the provider and ends abandoned sessions. */
export const sweepTranscripts = (services: Services) =>
  repeat(
    {
      everyMs: 60_000,
      run: (signal) => reconcileCalls(reflectionHost(services), signal, Date.now()),
      failed: 'could not look for calls without a webhook',
    },
    services,
  )

/** Closes agents that still hold unpublished or removed sources, in case the process that removed them died. */
export const sweepOutdatedAgents = (services: Services) =>
  repeat(
    {
      everyMs: 60_000,
      isAtOnce: true,
      run: async (signal) => services.agentCleanup?.closeOutdatedAgents(signal),
      failed: 'could not look for agents that hold unpublished sources',
    },
    services,
  )

/** Deletes the expired responses of keyed requests. */
export const sweepResponses = ({ idempotency, logger }: Services) =>
  repeat(
    {
      everyMs: 3_600_000,
      isAtOnce: true,
      run: () => idempotency.sweep(),
      failed: 'old stored responses could not be deleted',
    },
    { logger },
  )
