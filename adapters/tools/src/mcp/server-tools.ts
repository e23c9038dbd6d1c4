import { type Json, toCanonicalJson } from '@parley/contracts'
import { cutText } from '../format-text.ts'
import { sha256 } from '../fs/read-bytes.ts'
import type { McpConnection } from './connect.ts'
import type { NamedServer } from './find-server.ts'
import { McpError, toMcpError } from './mcp-error.ts'

/** A tool as its server describes it, untrusted. */
export interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
}

export interface ListedTools {
  readonly tools: readonly ListedTool[]
  /** The number of tools left out, because of their name, size or count. */
  readonly leftOut: number
}

export type JsonObject = { [key: string]: Json }

/** The server's current tools that may be called. */
export async function listTools(
  connection: McpConnection,
  { name: server, tools: allowed }: Pick<NamedServer, 'name' | 'tools'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ListedTools> {
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const { tools: listed, isCut } = await listAllPages(connection, AbortSignal.any([signal, limit]))
    const callable = listed.flatMap(toCallableTool)
    const names = Map.groupBy(callable, ({ name }) => name)
    // Tools with the same name are ambiguous.
    const single = callable.filter(({ name }) => names.get(name)?.length === 1)
    const tools = single.filter(({ name }) => !allowed || allowed.includes(name))
    return { tools, leftOut: listed.length - single.length + (isCut ? 1 : 0) }
  } catch (failure) {
    signal.throwIfAborted()
    if (limit.aborted)
      throw new McpError(`The MCP server ${server} did not list its tools within ${timeoutMs / 1_000} s.`)
    throw toMcpError(failure, `The MCP server ${server} did not list its tools.`, {
      exitReason: connection.readExitReason(),
    })
  }
}

const MAX_TOOLS = 500
const MAX_PAGES = 50
const MAX_TOOL_LENGTH = 100_000

type ToolPage = Awaited<ReturnType<McpConnection['listPage']>>
type AdvertisedTool = ToolPage['tools'][number]

/** Limited, since a server may return pages forever. */
async function listAllPages(
  connection: McpConnection,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly AdvertisedTool[]; readonly isCut: boolean }> {
  const tools: AdvertisedTool[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await connection.listPage(cursor, signal)
    tools.push(...page.tools.slice(0, MAX_TOOLS - tools.length))
    cursor = page.nextCursor
    if (cursor === undefined) return { tools, isCut: false }
    if (tools.length >= MAX_TOOLS) break
  }
  return { tools, isCut: true }
}

/** Names appear in questions to a person, so only letters, digits and a few signs are allowed. */
const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

function toCallableTool({
  name,
  description,
  inputSchema,
  outputSchema,
}: AdvertisedTool): readonly ListedTool[] {
  const tool = {
    name,
    ...(description !== undefined && { description }),
    inputSchema: inputSchema as JsonObject,
    ...(outputSchema && { outputSchema: outputSchema as JsonObject }),
  }
  return TOOL_NAME.test(name) && isSmall(tool) ? [tool] : []
}

function isSmall(tool: ListedTool): boolean {
  try {
    return toCanonicalJson({ ...tool }).length <= MAX_TOOL_LENGTH
  } catch {
    // It is nested too deeply to serialize.
    return false
  }
}

/** Binds an approval to the server's config and the tool's own description. */
export function createToolPin(
  server: NamedServer,
  { name, description, inputSchema, outputSchema }: ListedTool,
): string {
  const pinned = [toDefinition(server), name, description ?? null, inputSchema, outputSchema ?? null]
  return sha256(toCanonicalJson(pinned))
}

/** Identifies a server by its whole config, not only its name. */
export const createServerKey = (server: NamedServer): string =>
  sha256(
    toCanonicalJson([toDefinition(server), toValues(server.env), toValues(server.headers), server.isOwn]),
  )

/** Values may hold secrets, so only names are included. */
const toDefinition = ({ name, command, args, url, env, headers }: NamedServer): Json => ({
  name,
  command: command ?? null,
  args: args ?? [],
  url: url ?? null,
  env: Object.keys(env ?? {}).toSorted(),
  headers: Object.keys(headers ?? {}).toSorted(),
})

const toValues = (templates: Readonly<Record<string, string>> | undefined): Json => ({ ...templates })

/**
 * Lists clear violations of simple schema keywords; undefined if there are none. The schema is untrusted, so it is not
 * compiled and its patterns are not run. The server checks the rest.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): string | undefined {
  const wrong: string[] = []
  checkValue(given, schema, 'arguments', 0, wrong)
  return wrong.length === 0 ? undefined : wrong.slice(0, MAX_SHOWN).join('; ')
}

const MAX_SHOWN = 10
const MAX_QUOTED = 300
const DEEPEST = 20

function checkValue(value: Json, schema: Json | undefined, at: string, depth: number, wrong: string[]): void {
  if (depth > DEEPEST || wrong.length > MAX_SHOWN || !isJsonObject(schema)) return
  // Drafts differ on keywords beside a reference.
  if ('$ref' in schema) return
  const { type, enum: choices } = schema
  if (type !== undefined && !listTypes(type).some((name) => isOfType(value, name)))
    return void wrong.push(`${at} must be ${listTypes(type).join(' or ')}`)
  if (Array.isArray(choices) && !choices.some((choice) => isSameJson(choice, value)))
    return void wrong.push(`${at} must be one of ${cutText(JSON.stringify(choices), MAX_QUOTED)}`)
  if (isJsonObject(value)) checkObject(value, schema, at, depth, wrong)
  if (Array.isArray(value) && isJsonObject(schema['items']) && !('prefixItems' in schema))
    for (const [index, item] of value.entries())
      checkValue(item, schema['items'], `${at}[${index}]`, depth + 1, wrong)
}

function checkObject(
  value: JsonObject,
  schema: JsonObject,
  at: string,
  depth: number,
  wrong: string[],
): void {
  const { required, additionalProperties } = schema
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  if (Array.isArray(required))
    for (const name of required)
      if (typeof name === 'string' && !Object.hasOwn(value, name))
        wrong.push(`${at}.${cutText(name, MAX_QUOTED)} is missing`)
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name))
      checkValue(inner, properties[name], `${at}.${name}`, depth + 1, wrong)
    else if (additionalProperties === false && !('patternProperties' in schema))
      wrong.push(`${at}.${cutText(name, MAX_QUOTED)} is not known`)
  }
}

const KNOWN_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const listTypes = (type: Json): readonly string[] =>
  (Array.isArray(type) ? type : [type]).map((name) => (typeof name === 'string' ? name : ''))

function isOfType(value: Json, type: string): boolean {
  if (!KNOWN_TYPES.includes(type)) return true
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return typeof value === type
}

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSameJson = (one: Json, other: Json): boolean => toCanonicalJson(one) === toCanonicalJson(other)
