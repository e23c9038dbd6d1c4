import { randomBytes } from 'node:crypto'
import type { PersonId } from '@parley/contracts'
import type { Database } from '@parley/postgres'
import type { FindCaller } from '../auth/authenticate.ts'

/** People by their tokens; and visitors by theirs, while their session is on and their link good, or to be told why not. */
export function findCallerIn({
  tokens,
  reflectionSessions,
}: Pick<Database, 'tokens' | 'reflectionSessions'>): FindCaller {
  return async (tokenHash) => {
    const person = await tokens.find(tokenHash)
    if (person) return person
    const visit = await reflectionSessions.findByVisitor(tokenHash)
    if (!visit) return undefined
    const { personId, sessionId, failure } = visit
    const over = failure === 'unpublished' && { over: 'unpublished' as const }
    return { personId, role: 'guest', label: 'a visitor', sessionId, ...over }
  }
}

/** Told from others by its form, so that who is no visitor costs no question. */
const PREFIX = 'per_guest'

/** Somebody for one session. */
export const newVisitor = () => `${PREFIX}${randomBytes(12).toString('hex')}` as PersonId

export const isVisitor = (personId: PersonId): boolean => personId.startsWith(PREFIX)
