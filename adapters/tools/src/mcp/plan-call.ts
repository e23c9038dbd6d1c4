import type { Preview } from '@parley/contracts'
import {
  type ToolCallPlan,
  type ToolCallRefusal,
  type RawToolResult,
  detectMediaType,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { escapeInvisible } from '../format-text.ts'
import type { McpConnection } from './connect.ts'
import type { McpEndpoint, McpClients } from './create-mcp-clients.ts'
import type { NamedServer } from './find-server.ts'
import { McpError, toFailedPlan, toMcpError, catchFailures } from './mcp-error.ts'
import { type JsonObject, type ListedTool, checkArguments, listTools, createToolPin } from './server-tools.ts'

interface McpCall {
  readonly at: McpEndpoint
  readonly tool: string
  readonly given: Record<string, unknown>
}

/** Plans a call of a server's tool, with the question for a person. */
export async function planCall(
  call: McpCall,
  clients: McpClients,
  signal: AbortSignal,
): Promise<ToolCallPlan | ToolCallRefusal> {
  const { at, tool: name, given } = call
  const { server } = at
  const target = `${server.name}/${name}`
  const origin = `the MCP server ${server.name}, tool ${name}`
  if (server.tools && !server.tools.includes(name))
    return createToolCallRefusal(describeNotAllowed(server, name), 'tool_denied', target)
  try {
    const tool = await clients.use(at, signal, (connection) =>
      findTool(name, connection, server, signal, clients.limits.listMs),
    )
    const wrong = checkArguments(given as JsonObject, tool.inputSchema)
    if (wrong !== undefined)
      throw new McpError(`The arguments of ${target} are invalid.`, wrong, 'validation')
    const pin = createToolPin(server, tool)
    return {
      kind: 'plan',
      target,
      origin,
      // A person is always asked, even if the tool claims that it only reads.
      approval: { preview: formatPreview(server, name, given), state: pin, forSession: { pin } },
      carryOut: (whileCalled) =>
        catchFailures(whileCalled, () => carryOutCall(call, pin, clients, whileCalled)),
    }
  } catch (failure) {
    signal.throwIfAborted()
    return toFailedPlan(toMcpError(failure, `The MCP server ${server.name} cannot be used.`), target, origin)
  }
}

function carryOutCall(
  { at, tool, given }: McpCall,
  pin: string,
  clients: McpClients,
  signal: AbortSignal,
): Promise<RawToolResult> {
  const { server } = at
  return clients.use(at, signal, async (connection) => {
    // The tool must still be the approved one, even if the server restarted or changed its tools.
    const now = await findTool(tool, connection, server, signal, clients.limits.listMs)
    if (createToolPin(server, now) !== pin)
      throw new McpError(describeChanged(server, tool), undefined, 'tool_denied')
    try {
      return toResultText(await connection.call(tool, given, signal))
    } catch (failure) {
      signal.throwIfAborted()
      throw toMcpError(failure, describeNoResult(server, tool), {
        exitReason: connection.readExitReason(),
        code: 'tool_failed',
      })
    }
  })
}

const describeChanged = ({ name }: NamedServer, tool: string): string =>
  `The MCP server ${name} has changed its tool ${tool} since it was allowed, so it was not called. ` +
  'Call it again to ask the person again.'

const describeNoResult = ({ name }: NamedServer, tool: string): string =>
  `The MCP server ${name} gave no result for ${tool}; its effects are unknown.`

async function findTool(
  name: string,
  connection: McpConnection,
  server: NamedServer,
  signal: AbortSignal,
  listMs: number,
): Promise<ListedTool> {
  const { tools } = await listTools(connection, server, signal, listMs)
  const tool = tools.find((listed) => listed.name === name)
  if (!tool) throw new McpError(describeNoSuchTool(server, name))
  return tool
}

const describeNotAllowed = ({ name, tools = [] }: NamedServer, tool: string): string =>
  `The config allows only these tools of the MCP server ${name}: ${tools.join(', ')}. ` +
  `To allow "${tool}", the person adds it to the tools of [mcp_servers.${name}].`

const describeNoSuchTool = ({ name }: NamedServer, tool: string): string =>
  `The MCP server ${name} has no tool "${tool}" that can be called. Call mcp_call with the server alone to see its tools.`

/** The preview of a call for a person. */
function formatPreview(server: NamedServer, tool: string, given: Record<string, unknown>): Preview {
  const text = [
    `MCP server: ${server.name} (${formatAddress(server)})`,
    `Tool: ${tool}`,
    `Arguments: ${JSON.stringify(given, undefined, 2)}`,
  ].join('\n')
  return { kind: 'text', text: escapeInvisible(cutPreview(text, MAX_PREVIEW_LENGTH)) }
}

const MAX_PREVIEW_LENGTH = 20_000
const MAX_ADDRESS_LENGTH = 500

const formatAddress = ({ command, args = [], url }: NamedServer): string =>
  cutPreview(url ?? [command, ...args].join(' '), MAX_ADDRESS_LENGTH)

const cutPreview = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)} … ${text.length - longest} characters more` : text

/** Converts a call's result to text and media. */
export function toResultText({ content, structuredContent, isError }: CallResult): RawToolResult {
  const media = isError ? [] : content.flatMap((part) => toMedia(part) ?? []).slice(0, MAX_MEDIA)
  const lines = content.map(formatPart).filter((line) => line !== undefined)
  const joined =
    lines.length === 0 && structuredContent
      ? JSON.stringify(structuredContent, undefined, 2)
      : lines.join('\n')
  const text =
    joined.length > MAX_TEXT_LENGTH ? `${joined.slice(0, MAX_TEXT_LENGTH)}\n[The rest is left out.]` : joined
  if (isError) return createFailedResult(text || 'It failed without a reason.')
  return { kind: 'ok', text: text || (media.length > 0 ? '' : 'It returned nothing.'), media }
}

const MAX_TEXT_LENGTH = 2_000_000
const MAX_MEDIA = 20

function formatPart(part: ResultPart): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return toMedia(part)
        ? undefined
        : `[A part of the type ${part.mimeType.slice(0, 100)} that cannot be shown.]`
    case 'resource_link':
      return [`[${part.name}](${part.uri})`, part.mimeType, part.description].filter(Boolean).join(' ')
    case 'resource':
      return 'text' in part.resource
        ? `${part.resource.uri}:\n${part.resource.text}`
        : `[The resource ${part.resource.uri} (${part.resource.mimeType ?? 'of no known type'}) is not text.]`
    default:
      return part satisfies never
  }
}

type CallResult = Awaited<ReturnType<McpConnection['call']>>
type ResultPart = CallResult['content'][number]

type ResultMedia = NonNullable<Extract<RawToolResult, { kind: 'ok' }>['media']>[number]

/** The picture or sound of a result part, if its type is true. */
function toMedia(part: ResultPart): ResultMedia | undefined {
  if (part.type !== 'image' && part.type !== 'audio') return undefined
  const mediaType = part.mimeType.toLowerCase()
  const bytes = Buffer.from(part.data, 'base64')
  if (bytes.length === 0 || bytes.length > MAX_MEDIA_BYTES) return undefined
  const isRight =
    part.type === 'image'
      ? mediaType.startsWith('image/') && detectMediaType(bytes) === mediaType
      : SOUND.test(mediaType)
  return isRight ? { mediaType, bytes: new Uint8Array(bytes) } : undefined
}

const MAX_MEDIA_BYTES = 5_000_000
const SOUND = /^audio\/[a-z0-9.+-]{1,60}$/
