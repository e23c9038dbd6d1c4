/** The first of an error and its causes that fits. */
export function causeOf<Found>(thrown: unknown, fits: (cause: unknown) => cause is Found): Found | undefined {
  let cause = thrown
  for (let depth = 0; depth < 8 && cause !== undefined; depth += 1) {
    if (fits(cause)) return cause
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return undefined
}
