/** The limits of a connection to an MCP server. */
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
