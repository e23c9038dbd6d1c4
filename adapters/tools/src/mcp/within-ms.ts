/** Waits for something, but no longer than this. */
export async function withinMs(happening: Promise<unknown>, milliseconds: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  try {
    await Promise.race([happening, late])
  } finally {
    clearTimeout(timer)
  }
}
