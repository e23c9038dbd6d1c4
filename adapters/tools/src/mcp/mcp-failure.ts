import { PlatformError } from '@parley/contracts'
import { type Plan, refuse, type Refusal, type ToolText } from '@parley/engine'

/** A server that cannot be used: in our own words, and apart from them in those of the server, which nobody vouches for. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly code: Refusal['code']
  readonly theirs: string | undefined
  constructor(ours: string, theirs?: string, code: Refusal['code'] = 'tool_unavailable') {
    super(ours)
    this.theirs = theirs === undefined || theirs.trim() === '' ? undefined : bounded(theirs.trim(), 8_000)
    this.code = code
  }
}

/** What went wrong with a server, whatever was thrown. */
export function mcpFailureOf(
  thrown: unknown,
  what: string,
  { lastWords = '', code }: { readonly lastWords?: string; readonly code?: Refusal['code'] } = {},
): McpFailure {
  if (thrown instanceof McpFailure) return thrown
  if (thrown instanceof PlatformError) {
    const { mend } = thrown.detail
    return new McpFailure([what, thrown.message, mend].filter((part) => typeof part === 'string').join(' '))
  }
  return new McpFailure(what, [bounded(messageOf(thrown), 2_000), lastWords].filter(Boolean).join('\n'), code)
}

export function failedText({ message, theirs, code }: McpFailure): ToolText {
  return { kind: 'failed', code, text: theirs === undefined ? message : `${message} It said:\n${theirs}` }
}

/** A refusal is read as our own words: where it quotes a server, it is a result instead, and fenced like one. */
export function failedPlan(failure: McpFailure, target: string, origin: string): Plan | Refusal {
  if (failure.theirs === undefined) return refuse(failure.message, failure.code, target)
  return { kind: 'plan', target, origin, carryOut: async () => failedText(failure) }
}

const bounded = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)} …` : text

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  // fetch says only that it failed; why stands in the cause.
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message
}
