import type { SurfaceStatus } from '@parley/contracts'

interface Standing {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
  /** What is not as it should be, in a sentence each. */
  readonly reasons: readonly string[]
}

/** How an agent stands, in words. */
export function surfaceStanding({ status, differs, missing }: SurfaceStatus): Standing {
  return {
    ...STANDINGS[status],
    reasons: [...differs.map((what) => `Differs: ${what}.`), ...missing.map((what) => `Missing: ${what}.`)],
  }
}

const STANDINGS: Readonly<Record<SurfaceStatus['status'], Omit<Standing, 'reasons'>>> = {
  fresh: { label: 'Current', look: 'good' },
  stale: { label: 'Out of date', look: 'bad' },
  not_ready: { label: 'Not ready', look: 'quiet' },
}
