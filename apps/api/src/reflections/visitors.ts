import { randomBytes } from 'node:crypto'
import { PlatformError, type StartVisit } from '@parley/contracts'
import { type CallClient, type VisitResponse, createVisits } from '@parley/reflections'
import { createToken, hashToken } from '../auth/tokens.ts'
import type { Services } from '../services.ts'
import { createRateLimiter } from '../rate-limiter.ts'
import { toReflectionHost } from './reflection-host.ts'

interface VisitRequest extends StartVisit {
  /** The token of the share link. */
  readonly token: string
  readonly client: CallClient
}

/** The rate limit for each token that is tried, valid or not. */
const LINK_RATE = { most: 120, perSecond: 2 }

export function createVisitStarter(services: Services): (request: VisitRequest) => Promise<VisitResponse> {
  const mayTry = createRateLimiter(LINK_RATE)
  const start = createVisits({ ...toReflectionHost(services), newSecret: createVisitSecret })
  return async ({ token, ...visit }) => {
    const linkHash = hashToken(token)
    if (!mayTry(linkHash.toString('hex'))) throw createTooOftenError()
    return start({ ...visit, linkHash })
  }
}

function createVisitSecret() {
  return { ...createToken('vis'), unique: randomBytes(12).toString('hex') }
}

const createTooOftenError = () =>
  new PlatformError('rate_limited', {
    message: `A link allows ${LINK_RATE.most} requests at once, then ${LINK_RATE.perSecond} a second. Try again in a moment.`,
  })
