import { PlatformError } from '@parley/contracts'
import {
  type ToolCallPlan,
  type ToolCallRefusal,
  type RawToolResult,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { cutText } from '../format-text.ts'

/** A server that cannot be used: our message, and separately the server's untrusted text. */
export class McpError extends Error {
  override readonly name = 'McpFailure'
  readonly code: ToolCallRefusal['code']
  readonly serverText: string | undefined
  constructor(message: string, serverText?: string, code: ToolCallRefusal['code'] = 'tool_unavailable') {
    super(message)
    this.serverText =
      serverText === undefined || serverText.trim() === '' ? undefined : cutText(serverText.trim(), 8_000)
    this.code = code
  }
}

/** Converts any exception into an McpFailure. */
export function toMcpError(
  thrown: unknown,
  what: string,
  { exitReason = '', code }: { readonly exitReason?: string; readonly code?: ToolCallRefusal['code'] } = {},
): McpError {
  if (thrown instanceof McpError) return thrown
  if (thrown instanceof PlatformError) {
    const { fix } = thrown.detail
    return new McpError([what, thrown.message, fix].filter((part) => typeof part === 'string').join(' '))
  }
  return new McpError(what, [cutText(getMessage(thrown), 2_000), exitReason].filter(Boolean).join('\n'), code)
}

const toFailedResult = ({ message, serverText, code }: McpError): RawToolResult =>
  createFailedResult(serverText === undefined ? message : `${message} It said:\n${serverText}`, code)

/** A refusal counts as our own text, so a failure that quotes a server is returned as a fenced result. */
export function toFailedPlan(
  failure: McpError,
  target: string,
  origin: string,
): ToolCallPlan | ToolCallRefusal {
  if (failure.serverText === undefined) return createToolCallRefusal(failure.message, failure.code, target)
  return { kind: 'plan', target, origin, carryOut: async () => toFailedResult(failure) }
}

function getMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  // The message of fetch is generic; the cause has the reason.
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message
}

/** Turns a server's failure into a text for the model. */
export async function catchFailures(
  signal: AbortSignal,
  work: () => Promise<RawToolResult>,
): Promise<RawToolResult> {
  try {
    return await work()
  } catch (failure) {
    signal.throwIfAborted()
    return toFailedResult(toMcpError(failure, 'The MCP server cannot be used.'))
  }
}
