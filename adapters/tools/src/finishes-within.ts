/** Waits for work, at most this long. Whether it is done. */
export async function finishesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), milliseconds)
  try {
    return await Promise.race([work.then(() => true), timeout])
  } finally {
    clearTimeout(timer)
  }
}
