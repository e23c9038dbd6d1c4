import type { Json } from '@parley/contracts'
import { canonicalJson } from '@parley/engine'
import type { Connection } from './connect.ts'
import type { NamedServer } from './find-server.ts'
import { McpFailure, mcpFailureOf } from './mcp-failure.ts'

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
