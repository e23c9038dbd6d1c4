export interface McpLimits {
  readonly connectMs: number
  readonly listMs: number
  /** Without a sign of progress. */
  readonly callMs: number
  readonly longestCallMs: number
  readonly idleMs: number
  /** How long a program has to end by itself, and again after it was asked to. */
  readonly endMs: number
  readonly messageBytes: number
  /** What a server may send from one question to the next. */
  readonly unaskedBytes: number
  readonly unaskedMessages: number
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
  unaskedBytes: 64 * 1024 * 1024,
  unaskedMessages: 20_000,
  connections: 50,
}
