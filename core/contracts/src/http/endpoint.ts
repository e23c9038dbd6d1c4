import { z } from 'zod'
import type { Role } from '../access.ts'
import { ReflectionId } from '../ids.ts'
import type { MemberRole } from '../reflection.ts'

/**
 * Who may call an endpoint: the lowest server role; `member:ROLE`, the lowest role on the reflection in the path;
 * `any-admin`, admins of the server or of any reflection; `anyone`, without a token; `tool-secret` and
 * `webhook-signature`, the voice provider, which proves itself by one of them.
 */
export type Access =
  | Role
  | `member:${MemberRole}`
  | 'any-admin'
  | 'anyone'
  | 'tool-secret'
  | 'webhook-signature'

/** The limit of requests from one address to an endpoint without a token. `costly` ones are about the server. */
export type AddressLimit = 'readLink' | 'visitLink' | 'signIn' | 'costly' | 'monitoring' | 'webhook'

export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly path: `/${string}`
  readonly access: Access
  readonly summary: string
  readonly description?: string
  /** It creates something, once for each `Idempotency-Key`: a repeated request gets the first response. */
  readonly idempotent?: true
  readonly rateLimit?: AddressLimit
  /** For members or admins, but not checked again after the body was read: it changes nothing and must be fast. */
  readonly isCheckedOnce?: true
  readonly request?: {
    readonly params?: z.ZodObject
    readonly query?: z.ZodObject
    readonly headers?: z.ZodObject
    readonly body?: {
      readonly required?: boolean
      readonly description?: string
      readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
    }
  }
  readonly responses: Readonly<Record<number, EndpointResponse>>
}

interface EndpointResponse {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType; readonly example?: unknown }>>
}

/** Endpoints of one subject. Each key is the endpoint's name everywhere: handler, operation id, client. */
export const defineEndpoints = <Tag extends string, const Table extends Readonly<Record<string, Endpoint>>>(
  tag: Tag,
  table: Table,
) =>
  Object.fromEntries(Object.entries(table).map(([name, endpoint]) => [name, { ...endpoint, tag }])) as {
    readonly [Name in keyof Table]: Table[Name] & { readonly tag: Tag }
  }

/** A JSON response. */
export const jsonResponse = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: z.input<Schema>,
) => ({
  description,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
})

/** A JSON body. It may be left out if the schema accepts `{}`. */
export const jsonBody = <Schema extends z.ZodType>(schema: Schema, example?: z.input<Schema>) => ({
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
})

export const ReflectionRef = z.object({ reflectionId: ReflectionId })
