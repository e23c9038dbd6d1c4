import type { Ledger, LedgerFault } from '@parley/reflections'

/** What a verification came to, in a sentence. */
export function verdictInWords({ entries, live }: Ledger, faults: readonly LedgerFault[]): string {
  if (faults.length > 0)
    return faults.length === 1 ? 'One thing is wrong.' : `${faults.length} things are wrong.`
  if (entries.length === 0) return 'There is nothing to verify yet.'
  const right = entries.length === 1 ? 'One entry is right' : `All ${entries.length} entries are right`
  return `${right}; ${live === undefined ? 'nothing serves yet' : `generation ${live} serves`}.`
}
