import { Client } from '@modelcontextprotocol/sdk/client'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { AnySchema } from '@modelcontextprotocol/sdk/server/zod-compat.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  type CallToolResult,
  CallToolResultSchema,
  type ClientRequest,
  type ListToolsResult,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import type { DialOptions } from '../http/dial.ts'
import type { NamedServer } from './find-server.ts'
import { openHttpTransport } from './http-transport.ts'
import { McpError, toMcpError } from './mcp-error.ts'
import type { McpLimits } from './mcp-limits.ts'
import { finishesWithin } from '../finishes-within.ts'
import { type ProgramHost, prepareProgram, openStdioTransport } from './stdio-transport.ts'

export interface McpConnectHost extends ProgramHost {
  readonly limits: McpLimits
  readonly dial?: DialOptions | undefined
  /** Ends the attempt. */
  readonly signal: AbortSignal
  readonly onClose: () => void
}

export interface McpConnection {
  listPage(cursor: string | undefined, signal: AbortSignal): Promise<ListToolsResult>
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
  readExitReason(): string
  close(): Promise<void>
  /** Ends it at once, without waiting. */
  kill(): void
}

/** Connects to a server. It is offered no capabilities: no sampling, no roots, no elicitation. */
export async function connectServer(server: NamedServer, host: McpConnectHost): Promise<McpConnection> {
  const opened = await openTransport(server, host)
  const client = new Client(
    { name: 'parley', version: '0.1.0' },
    { capabilities: {}, jsonSchemaValidator: NO_CHECK },
  )
  const { limits } = host
  let isOpen = false
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an event target
  client.onclose = () => {
    if (isOpen) host.onClose()
    isOpen = false
  }
  try {
    await runWithOwnSignal(host.signal, (signal) =>
      client.connect(opened.transport, { timeout: limits.connectMs, signal }),
    )
    isOpen = true
  } catch (failure) {
    opened.kill()
    await client.close()
    throw toMcpError(failure, `The MCP server ${server.name} does not respond.`, {
      exitReason: opened.readExitReason(),
    })
  }

  const ask = async <Schema extends AnySchema>(
    request: ClientRequest,
    schema: Schema,
    options: RequestOptions,
  ) => {
    try {
      return await client.request(request, schema, options)
    } catch (failure) {
      if (isConnectionLost(failure)) opened.kill()
      throw failure
    }
  }

  return {
    // The client's own methods would compile the server's schemas to code.
    listPage: (cursor, given) =>
      runWithOwnSignal(given, (signal) => {
        const params = cursor === undefined ? {} : { cursor }
        return ask({ method: 'tools/list', params }, ListToolsResultSchema, {
          timeout: limits.listMs,
          signal,
        })
      }),
    call: (name, values, given) =>
      runWithOwnSignal(given, (signal) =>
        ask({ method: 'tools/call', params: { name, arguments: values } }, CallToolResultSchema, {
          timeout: limits.callMs,
          maxTotalTimeout: limits.longestCallMs,
          resetTimeoutOnProgress: true,
          onprogress: () => {},
          signal,
        }),
      ),
    readExitReason: opened.readExitReason,
    close: async () => {
      isOpen = false
      await opened.endSession()
      await client.close()
    },
    kill: opened.kill,
  }
}

const NO_CHECK: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (input) => ({ valid: true, data: input as T, errorMessage: undefined }),
}

async function openTransport(server: NamedServer, host: McpConnectHost) {
  const { name, command, args, env, url, headers, isOwn } = server
  try {
    if (command !== undefined) {
      const transport = openStdioTransport(
        await prepareProgram({ name, isOwn, command, args, env }, host),
        host.limits,
      )
      const { readExitReason, kill } = transport
      return { transport, readExitReason, kill, endSession: async () => {} }
    }
    if (url === undefined) throw new McpError('It has neither a command nor a url.')
    const { transport, readExitReason } = openHttpTransport({ url, headers, isOwn }, host)
    const kill = () => void transport.close()
    const endSession = () =>
      finishesWithin(
        transport.terminateSession().catch(() => {}),
        host.limits.endMs,
      )
    return { transport, readExitReason, kill, endSession }
  } catch (failure) {
    const { message, serverText, code } = toMcpError(failure, '')
    throw new McpError(`The MCP server ${server.name} cannot be used. ${message.trim()}`, serverText, code)
  }
}

/** Runs work with its own signal, since the client never removes its listeners. */
async function runWithOwnSignal<T>(
  given: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  given.throwIfAborted()
  const cancelling = new AbortController()
  const cancel = () => cancelling.abort('cancelled')
  given.addEventListener('abort', cancel, { once: true })
  try {
    return await work(cancelling.signal)
  } finally {
    given.removeEventListener('abort', cancel)
  }
}

/** Over HTTP, only responses show that a server restarted or is gone. */
const isConnectionLost = (failure: unknown): boolean =>
  failure instanceof StreamableHTTPError
    ? failure.code === 404 || failure.code === 400
    : failure instanceof Error && 'code' in failure && typeof failure.code === 'string'
