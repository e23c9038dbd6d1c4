import type { ToolSession } from '@parley/engine'
import type { DialOptions } from '../http/dial.ts'
import type { SecretOf } from '../tool-policy.ts'
import type { Connection } from './connect.ts'
import type { NamedServer } from './find-server.ts'
import { MCP_LIMITS, McpFailure, type McpLimits } from './limits-and-failures.ts'
import { serverKey } from './server-tools.ts'

export interface McpClientsOptions {
  /** Ours; programs are given a few variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly secretOf: SecretOf
  /** The folder of Parley's own data, in which servers of the person's own config are started. */
  readonly home: string
  readonly limits?: Partial<McpLimits> | undefined
  /** Tests alone have it. */
  readonly dial?: DialOptions | undefined
  /** Milliseconds that only ever grow. */
  readonly now?: (() => number) | undefined
}

/** The connections of one process with MCP servers, each for one session. */
export interface McpClients {
  readonly limits: McpLimits
  /** Does something by a connection with the server, which is opened where it is not. */
  use<T>(at: Endpoint, signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T>
  /** Ends all of them, and the programs that were started. */
  close(): Promise<void>
}

export interface Endpoint {
  readonly session: Pick<ToolSession, 'id' | 'context'>
  readonly server: NamedServer
}

interface Line {
  readonly ending: AbortController
  opening: Promise<Connection> | undefined
  /** Attempts that failed, or did not hold, in a row. */
  failures: number
  triedAt: number
  users: number
  usedAt: number
  idle: NodeJS.Timeout | undefined
}

export function createMcpClients(options: McpClientsOptions): McpClients {
  const limits = { ...MCP_LIMITS, ...options.limits }
  const now = options.now ?? (() => performance.now())
  const lines = new Map<string, Line>()
  const open = new Set<Connection>()
  let isClosed = false

  const killAll = () => {
    for (const connection of open) connection.kill()
  }
  // A process that ends without closing must not leave programs behind.
  process.once('exit', killAll)

  return {
    limits,

    async use(at, signal, work) {
      signal.throwIfAborted()
      const key = `${at.session.id} ${serverKey(at.server)}`
      const line = lines.get(key) ?? newLine()
      lines.set(key, line)
      line.users += 1
      clearTimeout(line.idle)
      try {
        return await work(await untilAborted(connectionOf(line, at), signal))
      } finally {
        line.users -= 1
        line.usedAt = now()
        if (line.users === 0) line.idle = setTimeout(() => void drop(key, line), limits.idleMs).unref()
      }
    },

    async close() {
      isClosed = true
      await Promise.all([...lines].map(([key, line]) => drop(key, line)))
      process.off('exit', killAll)
    },
  }

  async function connectionOf(line: Line, at: Endpoint): Promise<Connection> {
    if (isClosed) throw new McpFailure('No MCP server is used any more: this program is about to end.')
    if (line.opening) return line.opening
    const wait = line.triedAt + pause(line.failures) - now()
    if (wait > 0) throw new McpFailure(tooSoon(at.server.name, line.failures, wait))
    makeRoom()
    line.triedAt = now()
    line.opening = opened(line, at)
    return line.opening
  }

  async function opened(line: Line, { session, server }: Endpoint): Promise<Connection> {
    const lost = () => {
      line.opening = undefined
      line.failures = now() - line.triedAt > HELD_MS ? 1 : line.failures + 1
    }
    try {
      // The library takes its time to load, and most sessions never need it.
      const { connect } = await import('./connect.ts')
      const { environment, secretOf, home, dial } = options
      const { workingDir } = session.context
      const connection = await connect(server, {
        environment,
        secretOf,
        home,
        dial,
        workingDir,
        limits,
        signal: line.ending.signal,
        onClose: () => {
          open.delete(connection)
          lost()
        },
      })
      open.add(connection)
      return connection
    } catch (failure) {
      lost()
      throw failure
    }
  }

  function makeRoom(): void {
    const inUse = [...lines].filter(([, { opening }]) => opening !== undefined)
    if (inUse.length < limits.connections) return
    const [oldest] = inUse
      .filter(([, { users }]) => users === 0)
      .toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    if (!oldest)
      throw new McpFailure(
        `${limits.connections} MCP servers are in use. Try again when one of them is done.`,
      )
    void drop(...oldest)
  }

  async function drop(key: string, line: Line): Promise<void> {
    clearTimeout(line.idle)
    lines.delete(key)
    const { opening } = line
    line.opening = undefined
    line.ending.abort()
    const connection = await opening?.catch(() => undefined)
    if (!connection) return
    await connection.close().catch(() => connection.kill())
    open.delete(connection)
  }
}

const newLine = (): Line => ({
  ending: new AbortController(),
  opening: undefined,
  failures: 0,
  triedAt: 0,
  users: 0,
  usedAt: 0,
  idle: undefined,
})

/** A connection that lasted this long was a good one. */
const HELD_MS = 60_000

const pause = (failures: number): number =>
  failures === 0 ? -Infinity : Math.min(1_000 * 2 ** (failures - 1), 30_000)

const tooSoon = (server: string, failures: number, wait: number): string =>
  `The MCP server ${server} has failed ${failures === 1 ? 'a moment ago' : `${failures} times in a row`}. ` +
  `It is tried again in ${Math.ceil(wait / 1_000)} s at the earliest; go on without it until then.`

/** Waits for something that goes on by itself, no longer than the signal lets it. */
async function untilAborted<T>(happening: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([happening, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
