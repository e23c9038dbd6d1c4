import type { Member } from '@parley/contracts'

interface Deciding {
  /** `rule`, or a person's id. */
  readonly decidedBy: string
  readonly me: string
  /** Empty for who may not see them. */
  readonly members: readonly Pick<Member, 'personId' | 'label'>[]
}

/** Who decided on a patch, by their name where that is known. */
export function decidedByInWords({ decidedBy, me, members }: Deciding): string {
  if (decidedBy === 'rule') return 'by the rules'
  if (decidedBy === me) return 'by you'
  return `by ${members.find(({ personId }) => personId === decidedBy)?.label ?? 'a person'}`
}
