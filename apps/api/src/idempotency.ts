import { createHash } from 'node:crypto'
import { CreatedToken, PlatformError, SessionId } from '@parley/contracts'
import type { KeyedRequest, RequestClaim, StoredResponse } from '@parley/postgres'
import { checkTokenRole, enterReflection, mayEnterSession } from '@parley/reflections'
import type { Context, HonoRequest, Next } from 'hono'
import { z } from 'zod'
import type { ApiEnv } from './api-env.ts'
import { isForm, readForm } from './read-source.ts'
import type { Services } from './services.ts'

export type IdempotencyHost = Pick<
  Services,
  'idempotency' | 'logger' | 'reflections' | 'sessionRows' | 'shareLinks' | 'findReflectionRole' | 'now'
>
export type EndpointHandler = (c: Context<ApiEnv>, next: Next) => Response | Promise<Response>

export const IDEMPOTENCY_KEY = 'idempotency-key'
export const REPLAYED = 'idempotent-replayed'

/** With an `Idempotency-Key` the handler runs once: a repeated request gets the stored response of the first. */
export function runOnce(handle: EndpointHandler, host: IdempotencyHost): EndpointHandler {
  const { idempotency, logger } = host
  const warn = (c: Context<ApiEnv>) => (err: unknown) =>
    logger.warn({ err, requestId: c.get('requestId') }, 'the outcome of a keyed request was not stored')

  return async (c, next) => {
    const request = await readKeyedRequest(c)
    if (!request) return handle(c, next)
    const claim = await idempotency.claim(request)
    if (claim.kind === 'completed') {
      await recheckAccess(c, claim.response, host)
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

const CreatedSession = z.object({ sessionId: SessionId })
const CreatedMemberToken = CreatedToken.pick({ tokenId: true, role: true, reflectionId: true }).required()

/** Throws if the caller has lost the access to the stored session or token since it was created. */
async function recheckAccess(c: Context<ApiEnv>, { body }: StoredResponse, host: IdempotencyHost) {
  const answer: unknown = JSON.parse(body)
  const token = CreatedMemberToken.safeParse(answer).data
  if (token) {
    const caller = c.get('caller')
    const { role } = await enterReflection(caller, token.reflectionId, host.reflections)
    checkTokenRole({ onServer: caller.role, onReflection: role }, token.role)
  }
  const sessionId = CreatedSession.safeParse(answer).data?.sessionId
  const session = sessionId && (await host.sessionRows.find(sessionId))
  if (!session || (await mayEnterSession(session, session, 'read', host))) return
  throw new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })
}

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
        'The first request with this Idempotency-Key was interrupted after it had begun to write. Check whether it was carried out; if not, use a new key.',
    }),
}

const createRefusal = ({ kind }: RefusedClaim) => REFUSALS[kind]()
