import { type ToolSession, waitUnlessAborted } from '@parley/engine'
import type { DialOptions } from '../http/dial.ts'
import type { FindSecret } from '../tool-policy.ts'
import type { McpConnection } from './connect.ts'
import type { NamedServer } from './find-server.ts'
import { McpError } from './mcp-error.ts'
import { MCP_LIMITS, type McpLimits } from './mcp-limits.ts'
import { createServerKey } from './server-tools.ts'

export interface McpClientsOptions {
  /** Our environment; child processes get a subset. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly findSecret: FindSecret
  /** Parley's data folder; servers of the person's own config start inside it. */
  readonly home: string
  readonly limits?: Partial<McpLimits> | undefined
  /** For tests only. */
  readonly dial?: DialOptions | undefined
  /** A monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined
}

/** The MCP connections of this process, one per session and server. */
export interface McpClients {
  readonly limits: McpLimits
  /** Runs work with a connection to the server, opened if needed. */
  use<T>(at: McpEndpoint, signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T>
  /** Closes all connections and stops all started programs. */
  close(): Promise<void>
}

export interface McpEndpoint {
  readonly session: Pick<ToolSession, 'id' | 'context'>
  readonly server: NamedServer
}

interface ServerSlot {
  readonly ending: AbortController
  opening: Promise<McpConnection> | undefined
  /** Consecutive attempts that failed or did not last. */
  failures: number
  triedAt: number
  users: number
  usedAt: number
  idle: NodeJS.Timeout | undefined
}

export function createMcpClients(options: McpClientsOptions): McpClients {
  const limits = { ...MCP_LIMITS, ...options.limits }
  const now = options.now ?? (() => performance.now())
  const slots = new Map<string, ServerSlot>()
  const open = new Set<McpConnection>()
  let isClosed = false

  const killAll = () => {
    for (const connection of open) connection.kill()
  }
  // Stop started programs even if the process exits without close().
  process.once('exit', killAll)

  return {
    limits,

    async use(at, signal, work) {
      signal.throwIfAborted()
      const key = `${at.session.id} ${createServerKey(at.server)}`
      const slot = slots.get(key) ?? createSlot()
      slots.set(key, slot)
      slot.users += 1
      clearTimeout(slot.idle)
      try {
        return await work(await waitUnlessAborted(getConnection(slot, at), signal))
      } finally {
        slot.users -= 1
        slot.usedAt = now()
        if (slot.users === 0) slot.idle = setTimeout(() => void drop(key, slot), limits.idleMs).unref()
      }
    },

    async close() {
      isClosed = true
      await Promise.all([...slots].map(([key, slot]) => drop(key, slot)))
      process.off('exit', killAll)
    },
  }

  async function getConnection(slot: ServerSlot, at: McpEndpoint): Promise<McpConnection> {
    if (isClosed) throw new McpError('MCP servers are not available: this program is shutting down.')
    if (slot.opening) return slot.opening
    const wait = slot.triedAt + computePause(slot.failures) - now()
    if (wait > 0) throw new McpError(describeTooSoon(at.server.name, slot.failures, wait))
    makeRoom()
    slot.triedAt = now()
    slot.opening = openConnection(slot, at)
    return slot.opening
  }

  async function openConnection(slot: ServerSlot, { session, server }: McpEndpoint): Promise<McpConnection> {
    const recordLoss = () => {
      slot.opening = undefined
      slot.failures = now() - slot.triedAt > LASTING_MS ? 1 : slot.failures + 1
    }
    try {
      // Loaded late: the library is slow to load, and most sessions never need it.
      const { connectServer: connect } = await import('./connect.ts')
      const { environment, findSecret, home, dial } = options
      const { workingDir } = session.context
      const connection = await connect(server, {
        environment,
        findSecret,
        home,
        dial,
        workingDir,
        limits,
        signal: slot.ending.signal,
        onClose: () => {
          open.delete(connection)
          recordLoss()
        },
      })
      open.add(connection)
      return connection
    } catch (failure) {
      recordLoss()
      throw failure
    }
  }

  function makeRoom(): void {
    const inUse = [...slots].filter(([, { opening }]) => opening !== undefined)
    if (inUse.length < limits.connections) return
    const [oldest] = inUse
      .filter(([, { users }]) => users === 0)
      .toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    if (!oldest) throw new McpError(`${limits.connections} MCP servers are in use. Try again later.`)
    void drop(...oldest)
  }

  async function drop(key: string, slot: ServerSlot): Promise<void> {
    clearTimeout(slot.idle)
    slots.delete(key)
    const { opening } = slot
    slot.opening = undefined
    slot.ending.abort()
    const connection = await opening?.catch(() => undefined)
    if (!connection) return
    await connection.close().catch(() => connection.kill())
    open.delete(connection)
  }
}

const createSlot = (): ServerSlot => ({
  ending: new AbortController(),
  opening: undefined,
  failures: 0,
  triedAt: 0,
  users: 0,
  usedAt: 0,
  idle: undefined,
})

/** A connection that lasted this long counts as a success. */
const LASTING_MS = 60_000

const computePause = (failures: number): number =>
  failures === 0 ? -Infinity : Math.min(1_000 * 2 ** (failures - 1), 30_000)

const describeTooSoon = (server: string, failures: number, wait: number): string =>
  `The MCP server ${server} failed ${failures === 1 ? 'a moment ago' : `${failures} times in a row`}. ` +
  `The next attempt is possible in ${Math.ceil(wait / 1_000)} s; continue without it until then.`
