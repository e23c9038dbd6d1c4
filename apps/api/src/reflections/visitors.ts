import { randomBytes } from 'node:crypto'
import { PlatformError, type StartVisit } from '@parley/contracts'
import type { Database } from '@parley/postgres'
import { type SpokenKind, type StartedVisit, createVisits } from '@parley/reflections'
import type { FindCaller } from '../auth/authenticate.ts'
import { hashToken } from '../auth/hash-token.ts'
import type { Services } from '../services.ts'
import { tokenBuckets } from '../token-buckets.ts'
import { reflectionHost } from './reflection-sessions.ts'

/** Finds people by their tokens, and visitors by the token of their session. */
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

interface VisitRequest extends StartVisit {
  /** The token of the share link. */
  readonly token: string
  readonly shape: SpokenKind
}

/** The rate limit for each token that is tried, valid or not. */
const TRIES = { most: 120, perSecond: 2 }

export function visitsOf(services: Services): (request: VisitRequest) => Promise<StartedVisit> {
  const mayTry = tokenBuckets(TRIES)
  const start = createVisits({ ...reflectionHost(services), newSecret })
  return async ({ token, ...visit }) => {
    const linkHash = hashToken(token)
    if (!mayTry(linkHash.toString('hex'))) throw tooOften()
    return start({ ...visit, linkHash })
  }
}

function newSecret() {
  const token = `vis_${randomBytes(32).toString('base64url')}`
  return { token, tokenHash: hashToken(token), unique: randomBytes(12).toString('hex') }
}

const tooOften = () =>
  new PlatformError('rate_limited', {
    message: `A link allows ${TRIES.most} requests at once, then ${TRIES.perSecond} a second. Try again in a moment.`,
  })
