import { type Plan, refuse, type Refusal, type ToolText } from '@parley/engine'
import { callPreview } from './call-preview.ts'
import { checkArguments } from './check-arguments.ts'
import type { Connection } from './connect.ts'
import type { Endpoint, McpClients } from './create-mcp-clients.ts'
import type { NamedServer } from './find-server.ts'
import { type JsonObject, type ListedTool, listTools } from './list-tools.ts'
import { failedPlan, McpFailure, mcpFailureOf } from './mcp-failure.ts'
import { resultText } from './result-text.ts'
import { told } from './told.ts'
import { toolPin } from './tool-pin.ts'

interface Call {
  readonly at: Endpoint
  readonly tool: string
  readonly given: Record<string, unknown>
}

/** A call of a server's tool: what exactly it is, and the question to a person. */
export async function planCall(
  call: Call,
  clients: McpClients,
  signal: AbortSignal,
): Promise<Plan | Refusal> {
  const { at, tool: name, given } = call
  const { server } = at
  const target = `${server.name}/${name}`
  const origin = `the MCP server ${server.name}, tool ${name}`
  if (server.tools && !server.tools.includes(name))
    return refuse(notAllowed(server, name), 'tool_denied', target)
  try {
    const tool = await clients.use(at, signal, (connection) =>
      toolNamed(name, connection, server, signal, clients.limits.listMs),
    )
    const wrong = checkArguments(given as JsonObject, tool.inputSchema)
    if (wrong !== undefined)
      throw new McpFailure(`The arguments of ${target} are not right.`, wrong, 'validation')
    const pin = toolPin(server, tool)
    return {
      kind: 'plan',
      target,
      origin,
      // Whatever a tool says of itself, such as that it only reads, a person is asked.
      question: { preview: callPreview(server, name, given), state: pin, forSession: { pin } },
      carryOut: (whileCalled) => told(whileCalled, () => carryOut(call, pin, clients, whileCalled)),
    }
  } catch (failure) {
    signal.throwIfAborted()
    return failedPlan(mcpFailureOf(failure, `The MCP server ${server.name} cannot be used.`), target, origin)
  }
}

function carryOut(
  { at, tool, given }: Call,
  pin: string,
  clients: McpClients,
  signal: AbortSignal,
): Promise<ToolText> {
  const { server } = at
  return clients.use(at, signal, async (connection) => {
    // What was approved is what is called, even if the server has been started anew or thought better of it since.
    const now = await toolNamed(tool, connection, server, signal, clients.limits.listMs)
    if (toolPin(server, now) !== pin) throw new McpFailure(changed(server, tool), undefined, 'tool_denied')
    try {
      return resultText(await connection.call(tool, given, signal))
    } catch (failure) {
      signal.throwIfAborted()
      throw mcpFailureOf(failure, notDone(server, tool), {
        lastWords: connection.lastWords(),
        code: 'tool_failed',
      })
    }
  })
}

const changed = ({ name }: NamedServer, tool: string): string =>
  `The MCP server ${name} has changed its tool ${tool} since it was allowed, so it was not called. ` +
  'Call it again: the person is then asked anew.'

const notDone = ({ name }: NamedServer, tool: string): string =>
  `The MCP server ${name} gave no result for ${tool}; what the call has done until then is not known.`

async function toolNamed(
  name: string,
  connection: Connection,
  server: NamedServer,
  signal: AbortSignal,
  listMs: number,
): Promise<ListedTool> {
  const { tools } = await listTools(connection, server, signal, listMs)
  const tool = tools.find((listed) => listed.name === name)
  if (!tool) throw new McpFailure(noSuchTool(server, name))
  return tool
}

const notAllowed = ({ name, tools = [] }: NamedServer, tool: string): string =>
  `The config allows only these tools of the MCP server ${name}: ${tools.join(', ')}. ` +
  `To allow "${tool}", the person adds it to the tools of [mcp_servers.${name}].`

const noSuchTool = ({ name }: NamedServer, tool: string): string =>
  `The MCP server ${name} has no tool "${tool}" that can be called. Call mcp_call with the server alone to see its tools.`
