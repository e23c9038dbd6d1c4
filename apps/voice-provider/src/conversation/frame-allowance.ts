/** More than any client sends: a thousandth of a second of sound in each. */
const EACH_SECOND = 2_000
/** A recording may come at once. */
const AT_ONCE = 20_000

/** Says of each frame whether the client may send as many. */
export function createFrameAllowance(now: () => number): () => boolean {
  let left = AT_ONCE
  let filledAt = now()
  return () => {
    const at = now()
    left = Math.min(AT_ONCE, left + ((at - filledAt) / 1_000) * EACH_SECOND) - 1
    filledAt = at
    return left >= 0
  }
}
