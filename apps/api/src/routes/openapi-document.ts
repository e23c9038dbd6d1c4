import { zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import * as contracts from '@parley/contracts'
import { z } from 'zod'
import type { Api } from '../api-env.ts'
import { getLeastMemberRole } from '../auth/admit-caller.ts'

type SecurityScheme = Parameters<Api['openAPIRegistry']['registerComponent']>[2]

/** How a caller proves who they are. */
const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of `parley up`, of an invitation, or of `POST /v1/tokens`',
  },
  toolSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'x-tool-secret',
    description: 'The secret that the voice provider’s agents send with each tool call',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'elevenlabs-signature',
    description: 'The voice provider’s signature of the body: `t=<seconds>,v0=<HMAC-SHA256>`',
  },
} as const satisfies Record<string, SecurityScheme>

type Security = Partial<Record<keyof typeof SECURITY_SCHEMES, string[]>>

const SECURITY: Partial<Record<contracts.Access, Security[]>> = {
  anyone: [],
  'tool-secret': [{ toolSecret: [] }],
  'webhook-signature': [{ webhookSignature: [] }],
}

/** The security of an endpoint; undefined for the usual one, a bearer token. */
export const getSecurity = (access: contracts.Access): Security[] | undefined => SECURITY[access]

/** Says who may call an endpoint. */
export function describeAccess(access: contracts.Access): string {
  const onReflection = getLeastMemberRole(access)
  if (onReflection) return `Needs ${describeRole(onReflection)} on the reflection.`
  const onServer = contracts.Role.safeParse(access).data
  return onServer ? `Needs ${describeRole(onServer)} on the server.` : OTHER_ACCESS[access as OtherAccess]
}

const describeRole = (least: contracts.Role) =>
  least === 'owner' ? 'the role owner' : `the role ${least} or a higher one`

type OtherAccess = Exclude<contracts.Access, contracts.Role | `member:${string}`>

const OTHER_ACCESS: Record<OtherAccess, string> = {
  'any-admin': 'Needs the role admin or a higher one, on the server or on any reflection.',
  anyone: 'Needs no token.',
  'tool-secret': 'Needs the secret that the voice provider’s agents send.',
  'webhook-signature': 'Needs the voice provider’s signature.',
}

const DESCRIPTION = {
  openapi: '3.1.0',
  info: {
    title: 'Parley',
    version: '1',
    description:
      'Sessions with one agent: start, send, listen, resume, export. Errors are RFC 9457 problems with a `code`.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  security: [{ bearer: [] }],
  tags: Object.entries(contracts.TAGS).map(([name, description]) => ({ name, description })),
}

type Document = ReturnType<Api['getOpenAPI31Document']>

/** The OpenAPI document of all registered endpoints. */
export function buildOpenApiDocument(app: Api): Document {
  nameSchemas()
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  }
  const document = app.getOpenAPI31Document(DESCRIPTION)
  removePartialDiscriminators(document)
  describeDefaults(document)
  return document
}

/** Every schema that the contracts export becomes a component under its own name. */
function nameSchemas(): void {
  for (const [name, schema] of Object.entries(contracts)) {
    if (!(schema instanceof z.ZodType)) continue
    nameSchema(schema, name)
    if (schema instanceof z.ZodDiscriminatedUnion) nameOptions(schema, name)
  }
}

function nameSchema(schema: z.ZodType, name: string): void {
  zodToOpenAPIRegistry.add(schema, { _internal: { refId: name } })
}

/** Code generators tell the options of a union apart by a discriminator, which needs a name for each option. */
function nameOptions(union: z.ZodDiscriminatedUnion, unionName: string): void {
  for (const option of union.options) {
    const value = option instanceof z.ZodObject ? option.shape[union.def.discriminator] : undefined
    if (!(option instanceof z.ZodObject) || zodToOpenAPIRegistry.get(option)) continue
    const names = listValues(value).map(toPascalCase)
    if (names.length > 0) nameSchema(option, `${unionName}${names.join('Or')}`)
  }
}

function listValues(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String)
  return schema instanceof z.ZodEnum ? schema.options.map(String) : []
}

const toPascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A discriminator must be required in every option, but a typed session may be started without its channel. */
function removePartialDiscriminators(document: Document): void {
  const schemas = listSchemas(document)
  for (const [, union] of schemas) {
    const { oneOf = [], discriminator } = union
    const options = schemas.filter(([name]) =>
      oneOf.some(({ $ref }) => $ref === `#/components/schemas/${name}`),
    )
    const isRequired = ([, { required = [] }]: (typeof options)[number]) =>
      discriminator !== undefined && required.includes(discriminator.propertyName)
    if (!options.every(isRequired)) delete union.discriminator
  }
}

/**
 * Writes defaults in words: the caller may leave such a field out, but code generators make every field with a `default`
 * required.
 */
function describeDefaults(document: Document): void {
  for (const [, { properties = {} }] of listSchemas(document)) {
    for (const property of Object.values(properties)) {
      if (property.default === undefined) continue
      const words = `Default: ${JSON.stringify(property.default)}`
      property.description = property.description ? `${property.description} ${words}` : words
      delete property.default
    }
  }
}

const listSchemas = ({ components }: Document) =>
  Object.entries((components?.schemas ?? {}) as Readonly<Record<string, DescribedSchema>>)

interface DescribedSchema {
  readonly oneOf?: readonly { readonly $ref?: string }[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, { default?: unknown; description?: string }>>
  discriminator?: { readonly propertyName: string }
}
