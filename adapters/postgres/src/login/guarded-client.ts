import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { callbackify } from 'node:util'
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg'
import { PlatformError } from '@parley/contracts'
import { type DatabaseRole, toRoleUrl } from './database-url.ts'

/** The protocol's code for a request to cancel. */
const CANCEL_REQUEST = 80_877_102

type ConnectCallback = (error: Error | null) => void

/**
 * A client that never reveals its password. Another program may listen on the port of a dead server and ask for it. So the
 * client only answers over SCRAM, which reveals no secret, or over TLS, which identifies the server. With
 * `require_auth=scram-sha-256` in its URL it also rejects a server that does not prove by SCRAM that it knows the password.
 */
export class GuardedClient extends Client {
  readonly #mustProve: boolean
  #hasProved = false
  #asksOpenly = false
  /** The key for cancelling a statement of this connection. */
  #cancelKey: { readonly processID: number; readonly secretKey: number } | undefined

  constructor(config: ClientConfig = {}) {
    super(config)
    // A connection may break before anyone listens for errors: that fails the next statement, and must not end the
    // process.
    this.on('error', () => {})
    this.#mustProve = /[?&]require_auth=scram-sha-256(&|$)/.test(config.connectionString ?? '')
    const { connection } = this
    const refuseOpenly = () => {
      if (this.ssl) return
      this.#asksOpenly = true
      connection.stream.destroy()
    }
    // We listen before pg does, so its answer finds the connection closed.
    connection.on('authenticationCleartextPassword', refuseOpenly)
    connection.on('authenticationMD5Password', refuseOpenly)
    // pg checks the proof next, and fails if it is wrong.
    connection.on('authenticationSASLFinal', () => {
      this.#hasProved = true
    })
    connection.on('backendKeyData', (key: { readonly processID: number; readonly secretKey: number }) => {
      this.#cancelKey = key
    })
  }

  /** Asks the server to cancel the running statement. There is no reply. */
  cancelStatement(): void {
    if (!this.#cancelKey) return
    const { processID, secretKey } = this.#cancelKey
    const request = Buffer.alloc(16)
    request.writeInt32BE(request.length, 0)
    request.writeInt32BE(CANCEL_REQUEST, 4)
    request.writeInt32BE(processID, 8)
    request.writeInt32BE(secretKey, 12)
    const { host, port } = this
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    socket.on('error', () => socket.destroy())
    socket.end(request)
  }

  override connect(): Promise<Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<Client> | undefined {
    if (!callback) return this.#connect()
    callbackify(() => this.#connect())(callback)
    return undefined
  }

  async #connect(): Promise<Client> {
    try {
      await super.connect()
      if (this.#asksOpenly || (this.#mustProve && !this.#hasProved)) throw this.#refusal()
      return this
    } catch (error) {
      // Otherwise pg would keep listening and take the next message for a success.
      void this.end().catch(() => {})
      this.connection.stream.destroy()
      throw this.#asksOpenly ? this.#refusal() : error
    }
  }

  #refusal(): PlatformError {
    const problem = this.#asksOpenly
      ? 'asks for the password without SCRAM or TLS'
      : 'does not prove that it knows the password'
    const message = `The server at ${this.host}:${this.port} ${problem}, so Parley does not connect to it. If it is your Postgres, set password_encryption to scram-sha-256 there and set its users' passwords again, or use TLS (?sslmode=verify-full in DATABASE_URL); if not, another program has taken that port.`
    return new PlatformError('database_unavailable', { message })
  }
}

export const toConnectionConfig = (databaseUrl: string, role: DatabaseRole, name: string) =>
  ({
    connectionString: toRoleUrl(databaseUrl, role),
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  }) satisfies ClientConfig

export function createPool(config: PoolConfig, onError: (error: unknown) => void): Pool {
  const pool = new Pool({ ...config, Client: GuardedClient })
  pool.on('error', onError)
  return pool
}

/** A random key for an advisory lock. */
export const createLockKey = (): string => randomBytes(8).readBigInt64BE().toString()

/** With these settings the server detects a silent machine within half a minute, and keeps idle connections. */
export const SET_KEEPALIVES = `select set_config('tcp_keepalives_idle', '15', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
  set_config('idle_session_timeout', '0', false)`

export interface HeldConnection {
  close(): Promise<void>
}

const RETRY_MS = 100

/** Keeps a connection open and reconnects when it is lost. `begin` runs on each new connection. */
export async function holdConnection(
  config: ClientConfig,
  begin: (client: Client) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<HeldConnection> {
  let current: Client | undefined
  let reconnecting: Promise<void> | undefined
  const closing = new AbortController()

  const openConnection = async () => {
    const client = new GuardedClient(config)
    const handleLoss = (error: unknown) => {
      if (current !== client || closing.signal.aborted) return
      current = undefined
      onError(error)
      reconnecting = reconnect()
    }
    client.on('error', handleLoss)
    client.on('end', () => handleLoss(new Error('Connection terminated')))
    try {
      await client.connect()
      await client.query(SET_KEEPALIVES)
      await begin(client)
      current = client
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  const reconnect = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const outcome = await openConnection().catch(() => 'failed' as const)
      if (outcome !== 'failed') return
      await pause(RETRY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }

  await openConnection()
  return {
    async close() {
      closing.abort()
      await reconnecting
      await current?.end()
    },
  }
}
