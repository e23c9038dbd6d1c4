const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** Which row a key leads to from this one, or from before the first; undefined where it leads nowhere. */
export function rowAfter(key: string, at: number, count: number): number | undefined {
  const step = STEPS[key]
  if (step === undefined || count === 0) return undefined
  if (at < 0) return step > 0 ? 0 : count - 1
  const next = at + step
  return next >= 0 && next < count ? next : undefined
}
