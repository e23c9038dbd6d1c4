import { setTimeout as pause } from 'node:timers/promises'

/** Waits for the work, but at most this long. Does not keep the process alive. */
export async function waitAtMost<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), milliseconds).unref()
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

/** Waits for the work, or until the signal aborts. */
export async function waitUnlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const stop = () => resolve(undefined)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

/** Waits this long, or until the signal aborts. */
export async function pauseUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await pause(milliseconds, undefined, { signal }).catch(() => undefined)
}
