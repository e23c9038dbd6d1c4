import { type AddressLimit, PlatformError } from '@parley/contracts'
import { VISITOR_CAPS } from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ReadAddress } from './request-origin.ts'
import type { ApiEnv } from './api-env.ts'
import { type RateLimit, createRateLimiter } from './rate-limiter.ts'

const RATES = {
  readLink: { most: 120, perSecond: 2 },
  visitLink: { most: 60, perSecond: 1 },
  signIn: { most: 60, perSecond: 1 },
  costly: { most: 100, perSecond: 20 },
  monitoring: { most: 600, perSecond: 60 },
  // A refused webhook is sent again, or its call is read later.
  webhook: { most: 500, perSecond: 50 },
  /** Everything that a visitor requests in their session. */
  visitor: { most: 120, perSecond: 5 },
  /** Files of the console; a page loads some dozens. */
  console: { most: 2_000, perSecond: 200 },
} as const satisfies Record<AddressLimit | 'visitor' | 'console', RateLimit>

/** Limits unknown callers by their address and visitors by their token, before their body is read. */
export function limitRequests(addressOf: ReadAddress): MiddlewareHandler<ApiEnv> {
  const may = Object.fromEntries(
    Object.entries(RATES).map(([kind, rate]) => [kind, createRateLimiter(rate)]),
  ) as Record<keyof typeof RATES, ReturnType<typeof createRateLimiter>>
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
  const endpoint = c.get('endpoint')
  if (!endpoint) return { kind: 'console', key: addressOf(c) }
  if (endpoint.rateLimit) return { kind: endpoint.rateLimit, key: addressOf(c) }
  const caller = c.get('caller') as ApiEnv['Variables']['caller'] | undefined
  return caller?.sessionId === undefined
    ? undefined
    : { kind: 'visitor', key: caller.tokenHash.toString('hex') }
}

const limitBody = bodyLimit({
  maxSize: VISITOR_CAPS.bodyBytes,
  onError: () => {
    throw new PlatformError('payload_too_large', {
      message: `A visitor’s message has at most ${VISITOR_CAPS.bodyBytes} bytes. Split it into several.`,
    })
  },
})
