import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { AgentAction, PlatformError, SessionId, isReadOnly } from '@parley/contracts'
import { decideToolProof, verifyConversationBindSig } from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { AddressOf } from '../request-origin.ts'
import type { ApiEnv } from '../api.ts'
import type { Services } from '../services.ts'
import { type BucketOptions, tokenBuckets } from '../token-buckets.ts'
import { boundGuesses } from '../reflections/visitor-bounds.ts'

/** Refuses calls without the tool secret before their body is read. */
export function askForToolSecret(
  { voice }: Pick<Services, 'voice'>,
  addressOf: AddressOf,
): MiddlewareHandler<ApiEnv> {
  const refuseGuessing = boundGuesses('tool secret', addressOf)
  return async (c, next) => {
    if (!voice || !isSame(c.req.header('x-tool-secret') ?? '', voice.toolSecret)) {
      const wrong = new PlatformError('unauthenticated', { message: 'The tool secret is missing or wrong.' })
      return refuseGuessing(wrong, c)
    }
    return next()
  }
}

/** Refuses calls without proof of a conversation before their handler runs. Only proven calls count towards the limit. */
export function proveToolCall({
  voice,
  reflectionSessions,
}: Pick<Services, 'voice' | 'reflectionSessions'>): MiddlewareHandler<ApiEnv> {
  const mayRead = tokenBuckets(READING)
  const mayWrite = tokenBuckets(WRITING)

  return async (c, next) => {
    const claim = Claim.parse(await sentIn(c))
    const id = SessionId.safeParse(claim.conversation_id).data
    const isSignatureValid = verifyConversationBindSig(
      claim.conversation_id,
      claim.conversation_bind_sig,
      voice?.bindingSecrets ?? [],
      hmac,
    )
    // The stored session alone says which person and reflection the call is for.
    const session = id && isSignatureValid ? await reflectionSessions.find(id) : undefined
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
    const isRead = action !== undefined && isReadOnly(action)
    if (!(isRead ? mayRead : mayWrite)(claim.provider_conversation_id)) throw tooOften(isRead)
    c.set('callOrigin', { session, proof })
    return next()
  }
}

/** The rate limits of one conversation. */
const READING: BucketOptions = { most: 400, perSecond: 20 }
const WRITING: BucketOptions = { most: 30, perSecond: 1 }

const TOOLS = '/v1/tools/'

/** Missing or invalid values count as empty. */
const claimed = z.string().catch('')
const Claim = z
  .object({
    conversation_id: claimed,
    conversation_bind_sig: claimed,
    provider_conversation_id: claimed,
  })
  .catch({ conversation_id: '', conversation_bind_sig: '', provider_conversation_id: '' })

async function sentIn(c: Context<ApiEnv>): Promise<unknown> {
  if ((await c.req.text()) === '') return {}
  return c.req.json().catch(() => {
    throw new PlatformError('validation', { message: 'The body is not valid JSON.' })
  })
}

const tooOften = (isRead: boolean) => {
  const { most, perSecond } = isRead ? READING : WRITING
  return new PlatformError('rate_limited', {
    message: `A conversation may call this ${most} times at once, then ${perSecond} times a second.`,
  })
}

/** Compares digests, since `timingSafeEqual` needs equal lengths. */
const isSame = (one: string, other: string) => other !== '' && timingSafeEqual(digestOf(one), digestOf(other))

const digestOf = (text: string) => createHash('sha256').update(text).digest()

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
