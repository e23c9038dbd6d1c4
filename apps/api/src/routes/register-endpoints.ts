import { type RouteConfig, type RouteHandler, createRoute } from '@hono/zod-openapi'
import {
  type Access,
  type Endpoint,
  ENDPOINTS,
  type EndpointName,
  IdempotencyKey,
  Problem,
  SecretIdempotencyKey,
  strictObject,
} from '@parley/contracts'
import { z } from 'zod'
import type { Api, ApiEnv } from '../api-env.ts'
import { type EndpointHandler, IDEMPOTENCY_KEY, REPLAYED, handleOnce } from '../idempotency.ts'
import type { Services } from '../services.ts'
import { describeAccess, getSecurity } from './openapi-document.ts'

/** One handler for each endpoint of the table. */
export type Handlers = {
  readonly [Name in EndpointName]: RouteHandler<(typeof ENDPOINTS)[Name], ApiEnv>
}

const PROBLEM = { description: 'The error', content: { 'application/problem+json': { schema: Problem } } }

type TaggedEndpoint = Endpoint & { readonly tag: string }

/** Registers every endpoint: its request is validated before its handler runs, and its description is served. */
export function registerEndpoints(app: Api, handlers: Handlers, services: Services): void {
  // The table and `Handlers` pair their types by name; a loop over all of them cannot.
  const handlerOf = handlers as unknown as Record<EndpointName, EndpointHandler>
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [EndpointName, TaggedEndpoint][]) {
    const { method, path, access, summary, description, idempotent, tag, request, responses } =
      endpoint.idempotent ? withIdempotencyKey(endpoint) : endpoint
    const security = getSecurity(access)
    const route = {
      method,
      path,
      operationId: name,
      tags: [tag],
      summary,
      description: [description, describeAccess(access)].filter(Boolean).join('\n\n'),
      ...(security && { security }),
      ...(request && { request: completeRequest(request) }),
      responses: { ...responses, '4XX': PROBLEM, '5XX': PROBLEM },
    }
    const handler = handlerOf[name]
    app.openapi(createRoute(route as RouteConfig), idempotent ? handleOnce(name, handler, services) : handler)
  }
}

/** A query takes no unknown parameters, and a body may be left out if its schema accepts `{}`. */
function completeRequest({ query, body, ...rest }: NonNullable<Endpoint['request']>): Endpoint['request'] {
  const schema = body?.content['application/json']?.schema
  const required = schema instanceof z.ZodType ? !schema.safeParse({}).success : body?.required
  return {
    ...rest,
    ...(query && { query: strictObject(query.shape) }),
    ...(body && { body: { ...body, ...(required !== undefined && { required }) } }),
  }
}

/** The endpoint with the request header for the key, and the response header of a repeated request. */
function withIdempotencyKey(endpoint: TaggedEndpoint): TaggedEndpoint {
  const { request, responses, access } = endpoint
  const headers = (request?.headers ?? z.object({})).extend({ [IDEMPOTENCY_KEY]: getKeySchema(access) })
  return {
    ...endpoint,
    request: { ...request, headers },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        { ...response, headers: REPLAYED_HEADER },
      ]),
    ),
  }
}

const getKeySchema = (access: Access) =>
  (access === 'anyone' ? SecretIdempotencyKey : IdempotencyKey)
    .optional()
    .describe(
      'Makes it safe to repeat the request for 24 hours: the same key with the same body gets the first response, and nothing is created twice.',
    )

const REPLAYED_HEADER = {
  [REPLAYED]: {
    description: '`true` on the stored response of an earlier request with the same key',
    schema: { type: 'string' as const },
  },
}

/** The query without keys whose value is undefined. */
export const omitUndefined = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Query]: Exclude<Query[Key], undefined>
  }
