import { createHash } from 'node:crypto'
import {
  CreatedToken,
  type ENDPOINTS,
  type EndpointName,
  Member,
  PlatformError,
  Reflection,
  SessionId,
} from '@parley/contracts'
import type { KeyedRequest, RequestClaim, StoredResponse } from '@parley/postgres'
import { checkMemberChange, checkReplayedSession, checkTokenRole, enterReflection } from '@parley/reflections'
import type { Context, HonoRequest, Next } from 'hono'
import { z } from 'zod'
import type { ApiEnv } from './api-env.ts'
import { isForm, readForm } from './read-source.ts'
import type { Services } from './services.ts'

export type EndpointHandler = (c: Context<ApiEnv>, next: Next) => Response | Promise<Response>

export const IDEMPOTENCY_KEY = 'idempotency-key'
export const REPLAYED = 'idempotent-replayed'

/** With an `Idempotency-Key` the handler runs once: a repeated request gets the stored response of the first. */
export function handleOnce(name: EndpointName, handle: EndpointHandler, host: Services): EndpointHandler {
  const { idempotency, logger } = host
  const warn = (c: Context<ApiEnv>) => (err: unknown) =>
    logger.warn({ err, requestId: c.get('requestId') }, 'the outcome of a keyed request was not stored')

  return async (c, next) => {
    const request = await readKeyedRequest(c)
    if (!request) return handle(c, next)
    const claim = await idempotency.claim(request)
    if (claim.kind === 'completed') {
      await findReplayCheck(name)(c, JSON.parse(claim.response.body), host)
      return replay(claim.response)
    }
    if (claim.kind !== 'claimed') throw createRefusal(claim)
    const { attempt } = claim
    try {
      const response = await attempt.carryOut(async () => handle(c, next))
      // The client gets its response even if it cannot be stored.
      await attempt.complete(await toStored(response)).catch(warn(c))
      return response
    } catch (failure) {
      await attempt.fail(isRefusal(failure) ? 'refused' : 'interrupted').catch(warn(c))
      throw failure
    }
  }
}

async function readKeyedRequest(c: Context<ApiEnv>): Promise<KeyedRequest | undefined> {
  const key = c.req.header(IDEMPOTENCY_KEY)
  const caller = getCallerName(c)
  if (key === undefined || caller === undefined) return undefined
  return { caller, endpoint: `${c.req.method} ${c.req.path}`, key, bodyHash: await hashBody(c.req) }
}

/** Visitors have no id yet. Their keys are separate by the path, which holds the share link. */
function getCallerName(c: Context<ApiEnv>): string | undefined {
  const { caller, callOrigin } = c.var as Partial<ApiEnv['Variables']>
  if (caller) return `person ${caller.personId}`
  if (!callOrigin) return 'visitor'
  return callOrigin.session && `call ${callOrigin.session.sessionId}`
}

/** Hashes the fields of a form, because each attempt has another boundary. */
async function hashBody(request: HonoRequest): Promise<Buffer> {
  const hash = createHash('sha256')
  if (!isForm(request)) return hash.update(new Uint8Array(await request.arrayBuffer())).digest()
  for (const [name, value] of await readForm(request)) {
    const isText = typeof value === 'string'
    hash.update(JSON.stringify(isText ? [name, value] : [name, value.name, value.type, value.size]))
    if (!isText) hash.update(new Uint8Array(await value.arrayBuffer()))
  }
  return hash.digest()
}

/** A refused request has created nothing. After any other failure something may be written. */
const isRefusal = (failure: unknown) =>
  failure instanceof PlatformError && failure.code !== 'internal' && failure.code !== 'database_unavailable'

/** The endpoints with `idempotent: true`, except the actions of agents. */
type IdempotentEndpoint = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name] extends { idempotent: true } ? Name : never
}[EndpointName]

type ReplayCheck = (c: Context<ApiEnv>, stored: unknown, host: Services) => Promise<unknown>

const StartedSession = z.object({ sessionId: SessionId })

const checkSession: ReplayCheck = (c, stored, host) =>
  checkReplayedSession(c.get('caller'), StartedSession.parse(stored).sessionId, host)

/** An invitation signs its person in, with the role that they have now. */
const checkMember: ReplayCheck = async (c, stored, { reflections }) => {
  const { personId } = Member.pick({ personId: true }).parse(stored)
  const members = await reflections.listMembers(c.get('reflection').id)
  const member = members.find((one) => one.personId === personId)
  if (!member)
    throw new PlatformError('not_found', { message: `${personId} is no longer a member of this reflection.` })
  checkMemberChange(c.get('memberRole'), members, member)
}

const checkToken: ReplayCheck = async (c, stored, { reflections }) => {
  const { role, reflectionId } = CreatedToken.pick({ role: true, reflectionId: true }).parse(stored)
  const caller = c.get('caller')
  const entered = reflectionId && (await enterReflection(caller, reflectionId, reflections))
  checkTokenRole({ onServer: caller.role, ...(entered && { onReflection: entered.role }) }, role)
}

const checkReflection: ReplayCheck = (c, stored, { reflections }) =>
  enterReflection(c.get('caller'), Reflection.pick({ id: true }).parse(stored).id, reflections)

/** The access check of the request is enough: its path names the reflection, and the response gives access to nothing else. */
const checkNothingMore: ReplayCheck = async () => undefined

/** Throws if the caller could not get the stored response now. */
const REPLAY_CHECKS: Readonly<Record<IdempotentEndpoint, ReplayCheck>> = {
  startSession: checkSession,
  startMobileSession: checkSession,
  forkSession: checkSession,
  visitReflection: checkSession,
  visitMobileReflection: checkSession,
  createReflection: checkReflection,
  createToken: checkToken,
  addMember: checkMember,
  inviteMember: checkMember,
  renewInvitation: checkMember,
  createShareLink: checkNothingMore,
  addNamespace: checkNothingMore,
  addSource: checkNothingMore,
  proposeCorrection: checkNothingMore,
}

/** Calls of the voice provider's agents prove their conversation each time, and get no secret. */
const findReplayCheck = (name: EndpointName): ReplayCheck =>
  (REPLAY_CHECKS as Partial<Record<EndpointName, ReplayCheck>>)[name] ?? checkNothingMore

/** The other headers belong to a single request. */
const STORED_HEADERS: readonly string[] = ['content-type', 'set-cookie']

async function toStored(response: Response): Promise<StoredResponse> {
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => STORED_HEADERS.includes(name)),
    body: await response.clone().text(),
  }
}

function replay({ status, headers, body }: StoredResponse): Response {
  const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]))
  all.set(REPLAYED, 'true')
  return new Response(body, { status, headers: all })
}

type RefusedClaim = Exclude<RequestClaim, { readonly kind: 'claimed' | 'completed' }>

const REFUSALS: Record<RefusedClaim['kind'], () => PlatformError> = {
  other_body: () =>
    new PlatformError('idempotency_conflict', {
      message: 'This Idempotency-Key was used for a request with another body. Use a new key.',
    }),
  running: () =>
    new PlatformError('request_in_progress', {
      message: 'The first request with this Idempotency-Key is still running. Send it again in a moment.',
    }),
  unknown_outcome: () =>
    new PlatformError('request_outcome_unknown', {
      message:
        'The first request with this Idempotency-Key was interrupted, and may have been carried out. Check that if you can, then use a new key. A secret of the lost response is not shown again: revoke it.',
    }),
}

const createRefusal = ({ kind }: RefusedClaim) => REFUSALS[kind]()
