import { type RouteConfig, type RouteHandler, createRoute } from '@hono/zod-openapi'
import { type Access, type Endpoint, ENDPOINTS, type EndpointName, Problem } from '@parley/contracts'
import type { Api, ApiEnv } from '../api.ts'

/** One handler for each endpoint of the table. */
export type Handlers = {
  readonly [Name in EndpointName]: RouteHandler<(typeof ENDPOINTS)[Name], ApiEnv>
}

const PROBLEM = { description: 'The error', content: { 'application/problem+json': { schema: Problem } } }

/** Registers every endpoint: its request is validated before its handler runs, and its description is served. */
export function registerEndpoints(app: Api, handlers: Handlers): void {
  // The table and `Handlers` pair their types by name; a loop over all of them cannot.
  const handlerOf = handlers as unknown as Record<EndpointName, RouteHandler<RouteConfig, ApiEnv>>
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [EndpointName, Endpoint & { tag: string }][]) {
    const { tag, access, ...described } = endpoint
    const route = {
      ...described,
      operationId: name,
      tags: [tag],
      ...(isOpen(access) && { security: [] }),
      responses: { ...described.responses, default: PROBLEM },
    }
    app.openapi(createRoute(route as RouteConfig), handlerOf[name])
  }
}

const isOpen = (access: Access) => access === 'anyone' || access === 'provider'
