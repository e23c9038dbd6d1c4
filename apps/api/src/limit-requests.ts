import { PlatformError } from '@parley/contracts'
import { VISITOR_CAPS, refuseOtherSession } from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ReadAddress } from './request-origin.ts'
import type { ApiEnv } from './api-env.ts'
import { type RateLimit, createRateLimiter } from './rate-limiter.ts'

/** The rate limits by kind of request. */
const RATES = {
  look: { most: 120, perSecond: 2 },
  start: { most: 60, perSecond: 1 },
  visit: { most: 120, perSecond: 5 },
  signIn: { most: 60, perSecond: 1 },
  /** Public but costly requests about the server. */
  open: { most: 100, perSecond: 20 },
  /** Cheap requests of monitoring. */
  watch: { most: 600, perSecond: 60 },
  /** Files of the console; a page loads some dozens. */
  page: { most: 2_000, perSecond: 200 },
  /** Webhooks of the voice provider. A refused one is sent again, or its call is read later. */
  webhook: { most: 500, perSecond: 50 },
} as const satisfies Record<string, RateLimit>

/** Limits unknown callers by their address and visitors by their token, before their body is read. */
export function limitRequests(addressOf: ReadAddress): MiddlewareHandler<ApiEnv> {
  const may = {
    look: createRateLimiter(RATES.look),
    start: createRateLimiter(RATES.start),
    visit: createRateLimiter(RATES.visit),
    signIn: createRateLimiter(RATES.signIn),
    open: createRateLimiter(RATES.open),
    watch: createRateLimiter(RATES.watch),
    page: createRateLimiter(RATES.page),
    webhook: createRateLimiter(RATES.webhook),
  }
  return async (c, next) => {
    const limited = findRateLimitKey(c, addressOf)
    if (!limited) return next()
    const { kind, key } = limited
    if (!may[kind](key)) {
      const { most, perSecond } = RATES[kind]
      throw new PlatformError('rate_limited', {
        message: `The limit is ${most} requests at once, then ${perSecond} a second. Try again in a moment.`,
      })
    }
    return kind === 'webhook' ? next() : limitBody(c, next)
  }
}

/** Limits for wrong values from one address: more than any client sends by mistake. */
const GUESSES = {
  token: { most: 1_000, perSecond: 20 },
  'tool secret': { most: 60, perSecond: 1 },
} as const satisfies Record<string, RateLimit>

/** Limits guesses of tokens and secrets. A valid one is still accepted. */
export function limitGuesses(
  kind: keyof typeof GUESSES,
  addressOf: ReadAddress,
): (failure: unknown, c: Context<ApiEnv>) => never {
  const mayGuess = createRateLimiter(GUESSES[kind])
  return (failure, c) => {
    const isGuess = failure instanceof PlatformError && failure.code === 'unauthenticated'
    if (!isGuess || mayGuess(addressOf(c))) throw failure
    throw new PlatformError('rate_limited', {
      message: `Too many requests with a wrong ${kind}. Try again in a moment.`,
    })
  }
}

interface RateLimitKey {
  readonly kind: keyof typeof RATES
  readonly key: string
}

function findRateLimitKey(c: Context<ApiEnv>, addressOf: ReadAddress): RateLimitKey | undefined {
  if (SHARED.test(c.get('route'))) {
    return { kind: c.req.method === 'POST' ? 'start' : 'look', key: addressOf(c) }
  }
  const kind = BY_ROUTE[c.get('route')]
  if (kind) return { kind, key: addressOf(c) }
  const caller = c.get('caller') as ApiEnv['Variables']['caller'] | undefined
  if (caller?.sessionId === undefined) return undefined
  refuseOtherSession(caller.sessionId, /\/sessions\/([^/]+)/.exec(c.req.path)?.[1])
  return { kind: 'visit', key: caller.tokenHash.toString('hex') }
}

const BY_ROUTE: Readonly<Record<string, RateLimitKey['kind'] | undefined>> = {
  '/v1/sign-in': 'signIn',
  '/v1/openapi.json': 'open',
  '/readyz': 'open',
  '/healthz': 'watch',
  '/metrics': 'watch',
  console: 'page',
  '/v1/webhooks/elevenlabs': 'webhook',
}

const SHARED = /^\/v1\/(mobile\/)?r\//

const limitBody = bodyLimit({
  maxSize: VISITOR_CAPS.bodyBytes,
  onError: () => {
    throw new PlatformError('payload_too_large', {
      message: `A visitor’s message has at most ${VISITOR_CAPS.bodyBytes} bytes. Split it into several.`,
    })
  },
})
