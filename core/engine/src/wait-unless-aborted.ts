/** Waits for work until the signal aborts, then throws the signal's reason or another error. The work continues. */
export async function waitUnlessAborted<Outcome>(
  work: Promise<Outcome>,
  signal: AbortSignal,
  toError: () => unknown = () => signal.reason,
): Promise<Outcome> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stopWaiting = () => reject(toError())
  if (signal.aborted) stopWaiting()
  else signal.addEventListener('abort', stopWaiting, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stopWaiting)
  }
}
