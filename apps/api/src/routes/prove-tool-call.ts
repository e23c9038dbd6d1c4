import { timingSafeEqual } from 'node:crypto'
import { AgentAction, PlatformError, SessionId, isReadOnlyAction } from '@parley/contracts'
import { decideToolProof, verifyConversationBindSig } from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { ReadAddress } from '../request-origin.ts'
import type { ApiEnv } from '../api-env.ts'
import { computeDigest, hmac } from '../node-host.ts'
import type { Services } from '../services.ts'
import { type RateLimit, createRateLimiter } from '../rate-limiter.ts'
import { limitGuesses } from '../limit-requests.ts'

/** Refuses calls without the tool secret before their body is read. */
export function requireToolSecret(
  { voice }: Pick<Services, 'voice'>,
  addressOf: ReadAddress,
): MiddlewareHandler<ApiEnv> {
  const refuseGuessing = limitGuesses('tool secret', addressOf)
  return async (c, next) => {
    if (!voice || !isSameSecret(c.req.header('x-tool-secret') ?? '', voice.toolSecret)) {
      const wrong = new PlatformError('unauthenticated', { message: 'The tool secret is missing or wrong.' })
      return refuseGuessing(wrong, c)
    }
    return next()
  }
}

/** Refuses calls without proof of a conversation before their handler runs. Only proven calls count towards the limit. */
export function proveToolCall({
  voice,
  sessionRows,
}: Pick<Services, 'voice' | 'sessionRows'>): MiddlewareHandler<ApiEnv> {
  const mayRead = createRateLimiter(READ_RATE)
  const mayWrite = createRateLimiter(WRITE_RATE)

  return async (c, next) => {
    const claim = Claim.parse(await readBody(c))
    const id = SessionId.safeParse(claim.conversation_id).data
    const isSignatureValid = verifyConversationBindSig(
      claim.conversation_id,
      claim.conversation_bind_sig,
      voice?.bindingSecrets ?? [],
      hmac,
    )
    // The stored session alone says which person and reflection the call is for.
    const session = id && isSignatureValid ? await sessionRows.find(id) : undefined
    const proof = {
      isSecretRight: true,
      isSignatureValid,
      providerConversationId: claim.provider_conversation_id,
    }
    const unproven = decideToolProof({
      ...proof,
      session: session && { boundTo: session.providerConversationId },
    })
    if (unproven) throw new PlatformError(unproven.code, { message: unproven.message })
    const action = AgentAction.safeParse(c.req.path.slice(TOOLS.length)).data
    const isRead = action !== undefined && isReadOnlyAction(action)
    if (!(isRead ? mayRead : mayWrite)(claim.provider_conversation_id)) throw createTooOftenError(isRead)
    c.set('callOrigin', { session, proof })
    return next()
  }
}

/** The rate limits of one conversation. */
const READ_RATE: RateLimit = { most: 400, perSecond: 20 }
const WRITE_RATE: RateLimit = { most: 30, perSecond: 1 }

const TOOLS = '/v1/tools/'

/** Missing or invalid values count as empty. */
const ClaimText = z.string().catch('')
const Claim = z
  .object({
    conversation_id: ClaimText,
    conversation_bind_sig: ClaimText,
    provider_conversation_id: ClaimText,
  })
  .catch({ conversation_id: '', conversation_bind_sig: '', provider_conversation_id: '' })

async function readBody(c: Context<ApiEnv>): Promise<unknown> {
  if ((await c.req.text()) === '') return {}
  return c.req.json().catch(() => {
    throw new PlatformError('validation', { message: 'The body is not valid JSON.' })
  })
}

const createTooOftenError = (isRead: boolean) => {
  const { most, perSecond } = isRead ? READ_RATE : WRITE_RATE
  return new PlatformError('rate_limited', {
    message: `A conversation may call this ${most} times at once, then ${perSecond} times a second.`,
  })
}

/** Compares digests, since `timingSafeEqual` needs equal lengths. */
const isSameSecret = (one: string, other: string) =>
  other !== '' && timingSafeEqual(computeDigest(one), computeDigest(other))
