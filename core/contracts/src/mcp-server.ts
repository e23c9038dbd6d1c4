import { z } from 'zod'
import { kebabIdSchema } from './ids.ts'
import { strictObject } from './strict-object.ts'

const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(\/[^?#@]*)?$/i
const SECURE = /^https:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/i

/** The address of a server. Traffic must be encrypted, unless it stays on this machine. */
export const BaseUrl = z
  .url('a URL, such as "https://api.example.org/v1"')
  .max(2_000)
  .refine(
    (url) => SECURE.test(url) || LOOPBACK.test(url),
    'https://, or http:// to this machine (localhost, 127.0.0.1, [::1]); without user, query and fragment',
  )

/** Whether a parsed URL's host name is this machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)

/** May refer to secrets by name, as in "Bearer {{secrets.NAME}}", but never contains them. */
const Template = z.string().max(8_000)

export const HttpHeaders = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/, 'the name of an HTTP header'),
    Template.regex(/^[^\p{Cc}]*$/u, 'text without control characters'),
  )
  .refine((headers) => Object.keys(headers).length <= 50, 'at most 50 headers')

/** Either a program to start, which communicates over standard input and output, or an address. */
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

/** An MCP server in an agent file. */
export const NamedMcpServer = strictObject({
  name: kebabIdSchema,
  ...shape,
}).refine(isOneKind, ONE_KIND)
export type NamedMcpServer = z.infer<typeof NamedMcpServer>
