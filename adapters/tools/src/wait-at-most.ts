/** Waits for work, at most this long. */
export async function waitAtMost(work: Promise<unknown>, milliseconds: number): Promise<'done' | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), milliseconds)
  try {
    return await Promise.race([work.then(() => 'done' as const), late])
  } finally {
    clearTimeout(timer)
  }
}
