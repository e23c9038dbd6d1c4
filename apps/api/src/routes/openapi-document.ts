import { zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import * as contracts from '@parley/contracts'
import { z } from 'zod'
import type { Api } from '../api.ts'

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

/** The OpenAPI document of all registered endpoints. */
export function buildOpenApiDocument(app: Api): { readonly openapi: string } {
  nameSchemas()
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of `parley up`, of an invitation, or of `POST /v1/tokens`',
  })
  return app.getOpenAPI31Document(DESCRIPTION)
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
    if (!(option instanceof z.ZodObject) || !(value instanceof z.ZodLiteral)) continue
    if (zodToOpenAPIRegistry.get(option)) continue
    nameSchema(option, `${unionName}${toPascalCase(String(value.value))}`)
  }
}

const toPascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())
