import type { Approval } from '@parley/contracts'

/** Who decides whether what was found counts. */
export const APPROVALS: Record<Approval, { readonly label: string; readonly help: string }> = {
  by_rule: {
    label: 'Facts count once the rules have passed them',
    help: 'A patch waits for a person only where a rule asks for one.',
  },
  by_person: {
    label: 'Facts count once a person has approved them',
    help: 'Every patch waits until somebody approves or rejects it.',
  },
}
