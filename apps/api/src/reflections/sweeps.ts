import { failOverdueStarts, reconcileCalls } from '@parley/reflections'
import type { Services } from '../services.ts'
import { toReflectionHost } from './reflection-host.ts'

interface SweepTask {
  readonly everyMs: number
  /** Whether the first run is now, not after the interval. */
  readonly startsAtOnce?: boolean
  readonly run: (signal: AbortSignal) => Promise<unknown>
  /** The log message for a failed run. */
  readonly failureMessage: string
}

/** Repeats a task, with the interval between the end of one run and the start of the next. */
function startSweep(
  { everyMs, startsAtOnce, run, failureMessage }: SweepTask,
  { logger }: Pick<Services, 'logger'>,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    if (!signal.aborted) timer = setTimeout(() => void sweep(), everyMs).unref()
  }
  const sweep = async () => {
    await run(signal).catch((err: unknown) => {
      if (!signal.aborted) logger.warn({ err }, failureMessage)
    })
    schedule()
  }
  if (startsAtOnce) void sweep()
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
  startSweep(
    {
      everyMs: 30_000,
      run: () => failOverdueStarts(services, Date.now()),
      failureMessage: 'could not look for sessions that did not start',
    },
    services,
  )

/** Ends the turns whose process died, in any process on the database, and old off-record sessions of this one. */
export const sweepInterrupted = ({ sessions, offRecord, logger }: Services) =>
  startSweep(
    {
      everyMs: 2_000,
      startsAtOnce: true,
      failureMessage: 'could not look for turns whose process died',
      async run() {
        await offRecord.endOld()
        const settled = await sessions.settleAllInterrupted()
        if (settled > 0) logger.warn({ settled }, 'ended turns whose process died')
      },
    },
    { logger },
  )

/** Reads calls without a webhook from the provider and ends abandoned sessions. */
export function sweepTranscripts(services: Services) {
  const host = toReflectionHost(services)
  return startSweep(
    {
      everyMs: 60_000,
      run: (signal) => reconcileCalls(host, signal, Date.now()),
      failureMessage: 'could not look for calls without a webhook',
    },
    services,
  )
}

/** Closes agents that still hold unpublished or removed sources, in case the process that removed them died. */
export const sweepOutdatedAgents = (services: Services) =>
  startSweep(
    {
      everyMs: 60_000,
      startsAtOnce: true,
      run: async (signal) => services.agentCleanup?.closeOutdatedAgents(signal),
      failureMessage: 'could not look for agents that hold unpublished sources',
    },
    services,
  )

/** Deletes the expired responses of keyed requests. */
export const sweepResponses = ({ idempotency, logger }: Services) =>
  startSweep(
    {
      everyMs: 3_600_000,
      startsAtOnce: true,
      run: () => idempotency.sweep(),
      failureMessage: 'old stored responses could not be deleted',
    },
    { logger },
  )
