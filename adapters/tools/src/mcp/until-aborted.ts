/** Waits for something that goes on by itself, no longer than the signal lets it. */
export async function untilAborted<T>(happening: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([happening, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
