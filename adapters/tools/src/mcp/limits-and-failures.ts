import { PlatformError } from '@parley/contracts'
import { type CallPlan, type CallRefusal, type ToolText, refuseCall } from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'

export interface McpLimits {
  readonly connectMs: number
  readonly listMs: number
  /** Without progress. */
  readonly callMs: number
  readonly longestCallMs: number
  readonly idleMs: number
  /** How long a program has to exit by itself, and again after SIGTERM. */
  readonly endMs: number
  readonly messageBytes: number
  /** The most that a server may send between two requests. */
  readonly unrequestedBytes: number
  readonly unrequestedMessages: number
  readonly connections: number
}

export const MCP_LIMITS: McpLimits = {
  connectMs: 15_000,
  listMs: 10_000,
  callMs: 60_000,
  longestCallMs: 600_000,
  idleMs: 300_000,
  endMs: 1_000,
  messageBytes: 16 * 1024 * 1024,
  unrequestedBytes: 64 * 1024 * 1024,
  unrequestedMessages: 20_000,
  connections: 50,
}

/** A server that cannot be used: our message, and separately the server's untrusted text. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly code: CallRefusal['code']
  readonly serverText: string | undefined
  constructor(message: string, serverText?: string, code: CallRefusal['code'] = 'tool_unavailable') {
    super(message)
    this.serverText =
      serverText === undefined || serverText.trim() === '' ? undefined : cutText(serverText.trim(), 8_000)
    this.code = code
  }
}

/** Converts any exception into an McpFailure. */
export function toMcpFailure(
  thrown: unknown,
  what: string,
  { lastWords = '', code }: { readonly lastWords?: string; readonly code?: CallRefusal['code'] } = {},
): McpFailure {
  if (thrown instanceof McpFailure) return thrown
  if (thrown instanceof PlatformError) {
    const { fix } = thrown.detail
    return new McpFailure([what, thrown.message, fix].filter((part) => typeof part === 'string').join(' '))
  }
  return new McpFailure(
    what,
    [cutText(getMessage(thrown), 2_000), lastWords].filter(Boolean).join('\n'),
    code,
  )
}

const toFailedResult = ({ message, serverText, code }: McpFailure): ToolText =>
  createFailedResult(serverText === undefined ? message : `${message} It said:\n${serverText}`, code)

/** A refusal counts as our own text, so a failure that quotes a server is returned as a fenced result. */
export function planFailure(failure: McpFailure, target: string, origin: string): CallPlan | CallRefusal {
  if (failure.serverText === undefined) return refuseCall(failure.message, failure.code, target)
  return { kind: 'plan', target, origin, carryOut: async () => toFailedResult(failure) }
}

const cutText = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)} …` : text

function getMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  // The message of fetch is generic; the cause has the reason.
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message
}

/** Turns a server's failure into a text for the model. */
export async function catchFailures(signal: AbortSignal, work: () => Promise<ToolText>): Promise<ToolText> {
  try {
    return await work()
  } catch (failure) {
    signal.throwIfAborted()
    return toFailedResult(toMcpFailure(failure, 'The MCP server cannot be used.'))
  }
}
