import { z } from 'zod'
import { BaseUrl } from './base-url.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { strictObject } from './strict-object.ts'

/** A value that may name secrets, as in "Bearer {{secrets.NAME}}"; the secrets themselves do not belong here. */
const Template = z.string().max(8_000)

export const HttpHeaders = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/, 'the name of an HTTP header'),
    Template.regex(/^[^\p{Cc}]*$/u, 'text without control characters'),
  )
  .refine((headers) => Object.keys(headers).length <= 50, 'at most 50 headers')

/** A program that is started and spoken to by its standard input, or an address. */
const shape = {
  command: z.string().min(1).max(2_000).optional().describe('the program to start'),
  args: z.array(z.string().max(10_000)).max(200).optional().describe('its arguments'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), Template)
    .optional()
    .describe('its environment variables'),
  url: BaseUrl.optional().describe('the address of a server that already runs'),
  headers: HttpHeaders.optional().describe('HTTP headers of requests to it'),
  tools: z
    .array(z.string().min(1).max(200))
    .max(500)
    .optional()
    .describe('the only tools that may be called (default: all)'),
}

type Shape = { command?: unknown; args?: unknown; env?: unknown; url?: unknown; headers?: unknown }

const isOneKind = ({ command, args, env, url, headers }: Shape): boolean =>
  command === undefined ? url !== undefined && !args && !env : url === undefined && !headers

const ONE_KIND = 'either a command (with args and env), or a url (with headers)'

export const McpServerConfig = strictObject(shape).refine(isOneKind, ONE_KIND)
export type McpServerConfig = z.infer<typeof McpServerConfig>

/** As an agent file brings it along. */
export const NamedMcpServer = strictObject({
  name: kebabIdSchema,
  ...shape,
}).refine(isOneKind, ONE_KIND)
export type NamedMcpServer = z.infer<typeof NamedMcpServer>
