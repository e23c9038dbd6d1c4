import { createHash } from 'node:crypto'
import type { Json } from '@parley/contracts'
import { canonicalJson } from '@parley/engine'
import type { Connection } from './connect.ts'
import type { NamedServer } from './find-server.ts'
import { McpFailure, mcpFailureOf } from './limits-and-failures.ts'

/** A tool as its server describes it; nobody vouches for a word of it. */
export interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
}

export interface ListedTools {
  readonly tools: readonly ListedTool[]
  /** How many cannot be called: by their names, their size or since there are too many. */
  readonly leftOut: number
}

export type JsonObject = { [key: string]: Json }

/** The tools that a server has now, of those that may be called. */
export async function listTools(
  connection: Connection,
  { name: server, tools: allowed }: Pick<NamedServer, 'name' | 'tools'>,
  signal: AbortSignal,
  withinMs: number,
): Promise<ListedTools> {
  const limit = AbortSignal.timeout(withinMs)
  try {
    const { found, isCut } = await allPages(connection, AbortSignal.any([signal, limit]))
    const callable = found.flatMap((tool) => callableOf(tool))
    const names = Map.groupBy(callable, ({ name }) => name)
    // Of two tools with one name nobody could say which was meant.
    const single = callable.filter(({ name }) => names.get(name)?.length === 1)
    const tools = single.filter(({ name }) => !allowed || allowed.includes(name))
    return { tools, leftOut: found.length - single.length + (isCut ? 1 : 0) }
  } catch (failure) {
    signal.throwIfAborted()
    if (limit.aborted)
      throw new McpFailure(`The MCP server ${server} did not list its tools within ${withinMs / 1_000} s.`)
    throw mcpFailureOf(failure, `The MCP server ${server} did not list its tools.`, {
      lastWords: connection.lastWords(),
    })
  }
}

const MOST_TOOLS = 500
const MOST_PAGES = 50
const LONGEST_TOOL = 100_000

type Page = Awaited<ReturnType<Connection['listPage']>>
type FoundTool = Page['tools'][number]

/** A server may page for ever. */
async function allPages(
  connection: Connection,
  signal: AbortSignal,
): Promise<{ readonly found: readonly FoundTool[]; readonly isCut: boolean }> {
  const found: FoundTool[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await connection.listPage(cursor, signal)
    found.push(...page.tools.slice(0, MOST_TOOLS - found.length))
    cursor = page.nextCursor
    if (cursor === undefined) return { found, isCut: false }
    if (found.length >= MOST_TOOLS) break
  }
  return { found, isCut: true }
}

/** Names stand in questions to a person, so they are made of letters, digits and few signs. */
const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

function callableOf({ name, description, inputSchema, outputSchema }: FoundTool): readonly ListedTool[] {
  const tool = {
    name,
    ...(description !== undefined && { description }),
    inputSchema: inputSchema as JsonObject,
    ...(outputSchema && { outputSchema: outputSchema as JsonObject }),
  }
  return NAME.test(name) && isSmall(tool) ? [tool] : []
}

function isSmall(tool: ListedTool): boolean {
  try {
    return canonicalJson({ ...tool }).length <= LONGEST_TOOL
  } catch {
    // It is nested too deep to be written down.
    return false
  }
}

/** What an answer is bound to: the server as it is configured and the tool as it described itself. */
export function toolPin(
  server: NamedServer,
  { name, description, inputSchema, outputSchema }: ListedTool,
): string {
  const pinned = [definitionOf(server), name, description ?? null, inputSchema, outputSchema ?? null]
  return sha256(canonicalJson(pinned))
}

/** The same server, told apart from another of its name. */
export const serverKey = (server: NamedServer): string =>
  sha256(canonicalJson([definitionOf(server), valuesOf(server.env), valuesOf(server.headers), server.isOwn]))

/** Values may hold secrets, so only their names count. */
const definitionOf = ({ name, command, args, url, env, headers }: NamedServer): Json => ({
  name,
  command: command ?? null,
  args: args ?? [],
  url: url ?? null,
  env: Object.keys(env ?? {}).toSorted(),
  headers: Object.keys(headers ?? {}).toSorted(),
})

const valuesOf = (templates: Readonly<Record<string, string>> | undefined): Json => ({ ...templates })

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * What is plainly wrong with arguments, by the keywords that tell it without doubt; undefined where nothing is. A
 * schema comes from the server, so no code is made of it and no pattern of it is run; the rest is for the server to say.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): string | undefined {
  const wrong: string[] = []
  check(given, schema, 'arguments', 0, wrong)
  return wrong.length === 0 ? undefined : wrong.slice(0, MOST_SHOWN).join('; ')
}

const MOST_SHOWN = 10
const DEEPEST = 20

function check(value: Json, schema: Json | undefined, at: string, depth: number, wrong: string[]): void {
  if (depth > DEEPEST || wrong.length > MOST_SHOWN || !isObject(schema)) return
  // Beside a reference, other keywords count in some drafts and not in others.
  if ('$ref' in schema) return
  const { type, enum: choices } = schema
  if (type !== undefined && !typesIn(type).some((name) => isOfType(value, name)))
    return void wrong.push(`${at} must be ${typesIn(type).join(' or ')}`)
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
    return void wrong.push(`${at} must be one of ${bounded(JSON.stringify(choices))}`)
  if (isObject(value)) checkObject(value, schema, at, depth, wrong)
  if (Array.isArray(value) && isObject(schema['items']) && !('prefixItems' in schema))
    for (const [index, item] of value.entries())
      check(item, schema['items'], `${at}[${index}]`, depth + 1, wrong)
}

function checkObject(
  value: JsonObject,
  schema: JsonObject,
  at: string,
  depth: number,
  wrong: string[],
): void {
  const { required, additionalProperties } = schema
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  if (Array.isArray(required))
    for (const name of required)
      if (typeof name === 'string' && !Object.hasOwn(value, name))
        wrong.push(`${at}.${bounded(name)} is missing`)
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) check(inner, properties[name], `${at}.${name}`, depth + 1, wrong)
    else if (additionalProperties === false && !('patternProperties' in schema))
      wrong.push(`${at}.${bounded(name)} is not known`)
  }
}

const KNOWN_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const typesIn = (type: Json): readonly string[] =>
  (Array.isArray(type) ? type : [type]).map((name) => (typeof name === 'string' ? name : ''))

function isOfType(value: Json, type: string): boolean {
  if (!KNOWN_TYPES.includes(type)) return true
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (one: Json, other: Json): boolean => canonicalJson(one) === canonicalJson(other)

const bounded = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} …` : text)
