import type { HealthRange } from '@parley/contracts'
import type { HealthWindow } from '@parley/postgres'

/** How finely each range is told. */
const PIECES: Record<HealthRange, { readonly count: number; readonly seconds: number }> = {
  '1h': { count: 60, seconds: 60 },
  '24h': { count: 96, seconds: 900 },
  '7d': { count: 168, seconds: 3_600 },
}

/** The time that a range looks at: whole pieces, the last of which is the one that runs. */
export function windowOf(range: HealthRange, now: number): HealthWindow & { readonly pieces: number } {
  const { count, seconds } = PIECES[range]
  const to = (Math.floor(now / 1_000 / seconds) + 1) * seconds
  return {
    from: new Date((to - count * seconds) * 1_000).toISOString(),
    to: new Date(to * 1_000).toISOString(),
    pieceSeconds: seconds,
    pieces: count,
  }
}
