import type { VariableFate } from '@parley/contracts'

interface FateInWords {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
}

/** What becomes of a variable. */
export const FATES: Readonly<Record<VariableFate, FateInWords>> = {
  sent: { label: 'Sent', look: 'good' },
  cut: { label: 'Cut', look: 'bad' },
  dropped: { label: 'Left out', look: 'bad' },
  unknown: { label: 'Not known', look: 'quiet' },
  missed: { label: 'Not loaded', look: 'bad' },
  withheld: { label: 'Not for this session', look: 'quiet' },
}
