import type { LedgerStage } from '@parley/contracts'

interface StageInWords {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
}

/** What became of a generation. */
export const STAGES: Readonly<Record<LedgerStage, StageInWords>> = {
  candidate: { label: 'Built', look: 'quiet' },
  evaluated: { label: 'Judged', look: 'quiet' },
  promoted: { label: 'Promoted', look: 'good' },
  rejected: { label: 'Rejected', look: 'bad' },
  outrun: { label: 'Outrun by a later one', look: 'quiet' },
  erased: { label: 'Erased with a source', look: 'quiet' },
}
