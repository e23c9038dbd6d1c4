import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import type { ENDPOINTS, EndpointName } from './endpoints.ts'

type EndpointByRoute = {
  [
    Name in EndpointName as `${Uppercase<(typeof ENDPOINTS)[Name]['method']>} ${(typeof ENDPOINTS)[Name]['path']}`
  ]: (typeof ENDPOINTS)[Name]
}

/** `METHOD path` of an endpoint. */
export type EndpointRoute = keyof EndpointByRoute

/** What a client gives to an endpoint, as one object: parameters of the path, then the query or the fields of the body. */
export type EndpointInput<Route extends EndpointRoute> = InputOf<EndpointByRoute[Route]>

/** The JSON of a successful response. */
export type EndpointOutput<Route extends EndpointRoute> = OutputOf<EndpointByRoute[Route]>

/** Repeated with the same key within 24 hours, a request gets the first response and creates nothing. */
export interface Keyed {
  readonly idempotencyKey?: string
}

type InputOf<Row extends Endpoint> = Row extends Endpoint
  ? ParamsOf<Row> & QueryOf<Row> & BodyOf<Row> & KeyOf<Row>
  : never

type ParamsOf<Row> = Row extends { request: { params: infer Params extends z.ZodType } }
  ? z.output<Params>
  : unknown

/** Every query parameter has a default or may be left out. */
type QueryOf<Row> = Row extends { request: { query: infer Query extends z.ZodType } }
  ? Optional<z.output<Query>>
  : unknown

type BodyOf<Row> = Row extends {
  request: { body: { content: { 'application/json': { schema: infer Body extends z.ZodType } } } }
}
  ? FieldsOf<Body>
  : unknown

/** The parsed type, in which ids are told apart; fields with a default may be left out. */
type FieldsOf<Body extends z.ZodType> =
  Body extends z.ZodDiscriminatedUnion<infer Options extends readonly z.ZodType[]>
    ? FieldsOf<Options[number]>
    : Body extends z.ZodType
      ? string extends keyof z.output<Body>
        ? unknown
        : MakeOptional<z.output<Body>, OptionalKey<z.input<Body>>>
      : never

type OptionalKey<Fields> = {
  [Key in keyof Fields]-?: Partial<Pick<Fields, Key>> extends Pick<Fields, Key> ? Key : never
}[keyof Fields]

type MakeOptional<Fields, Key> = Omit<Fields, Key & keyof Fields> & Optional<Pick<Fields, Key & keyof Fields>>

/** A field that is undefined is not sent. */
type Optional<Fields> = { [Key in keyof Fields]?: Fields[Key] | undefined }

type KeyOf<Row> = Row extends
  | { idempotent: true }
  | { request: { headers: z.ZodObject<{ 'idempotency-key': z.ZodType }> } }
  ? Keyed
  : unknown

type OutputOf<Row extends Endpoint> = Row extends Endpoint
  ? { [Status in keyof Row['responses']]: JsonOf<Row['responses'][Status]> }[keyof Row['responses']]
  : never

type JsonOf<Response> = Response extends {
  content: { 'application/json': { schema: infer Schema extends z.ZodType } }
}
  ? z.output<Schema>
  : never
