import type { CreateShareLink } from '@parley/contracts'

/** How long a link may last, and what that is called. */
export const LASTS = {
  '': 'Without end',
  '1': 'An hour',
  '24': 'A day',
  '168': 'A week',
  '720': '30 days',
} as const

export type Lasts = keyof typeof LASTS

/** A link as it was filled in. */
export interface LinkForm {
  /** None means all that is public. */
  readonly namespaces: readonly string[]
  readonly maxUses: string
  readonly lasts: Lasts
}

const MOST_USES = 1_000_000
const HOUR_MS = 3_600_000

/** The link that the form asks for, or what is wrong with it. */
export function linkWanted(
  { namespaces, maxUses, lasts }: LinkForm,
  now: number,
): { readonly link: CreateShareLink } | { readonly wrong: string } {
  const uses = maxUses.trim() === '' ? undefined : Number(maxUses)
  if (uses !== undefined && !(Number.isInteger(uses) && uses >= 1 && uses <= MOST_USES)) {
    return {
      wrong: 'The number of uses is a whole number from 1 to 1,000,000; leave it empty for any number.',
    }
  }
  return {
    link: {
      ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
      ...(uses !== undefined && { maxUses: uses }),
      ...(lasts !== '' && { expiresAt: new Date(now + Number(lasts) * HOUR_MS).toISOString() }),
    },
  }
}
