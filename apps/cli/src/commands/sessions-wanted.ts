/** So many are listed at most. */
export const MOST = 10_000

export interface Wanted {
  readonly limit: number
  readonly search?: string | undefined
}

/** How to see more of them. */
export function moreOf({ limit, search }: Wanted, command = 'parley sessions'): string {
  const next = `--limit ${Math.min(limit * 5, MOST)}`
  return search === undefined ? `There are more: ${command} ${next}` : `There are more: add ${next}`
}
