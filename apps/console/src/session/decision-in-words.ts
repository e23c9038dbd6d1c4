import type { CallSummary } from '@parley/contracts'

type Settling = NonNullable<CallSummary['by']>

const ALLOWED: Readonly<Record<Settling, string>> = {
  grant: 'Allowed, since the agent has this tool.',
  schema: 'Allowed, since its input is well formed.',
  policy: 'Allowed by the rules of this server, without asking.',
  session: 'Allowed earlier for the rest of the session.',
  person: 'Allowed by a person.',
  unattended: 'Allowed, though nobody was there to be asked.',
}

const REFUSED: Readonly<Record<Settling, string>> = {
  grant: 'Refused: the agent has no such tool.',
  schema: 'Refused: its input is not well formed.',
  policy: 'Refused by the rules of this server.',
  session: 'Refused for the rest of the session.',
  person: 'Refused by a person.',
  unattended: 'Refused, since nobody was there to be asked.',
}

/** What was decided of a call, and what settled it. */
export function decisionInWords({ verdict, by, reason }: CallSummary): string {
  if (by === undefined) return ''
  const words = (verdict === 'refused' ? REFUSED : ALLOWED)[by]
  return verdict === 'refused' && reason !== undefined ? `${words} ${reason}` : words
}
