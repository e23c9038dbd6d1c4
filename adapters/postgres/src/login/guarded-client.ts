import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { callbackify } from 'node:util'
import { Client, type ClientConfig } from 'pg'
import { PlatformError } from '@parley/contracts'

/** The protocol's code for a request to cancel. */
const CANCEL_REQUEST = 80_877_102

type Connected = (error: Error | null) => void

/**
 * A client that gives its password to nobody who asks for it in a way that would show it. Whoever sits on the port of
 * a server that has died may ask for whatever they like. SCRAM shows neither side's secret, and TLS, where it is used,
 * has told us who asks. With `require_auth=scram-sha-256` in its URL it also takes no server for the right one that
 * has not proved by SCRAM that it knows the password.
 */
export class GuardedClient extends Client {
  readonly #mustProve: boolean
  #hasProved = false
  #asksOpenly = false
  /** What the server wants to see before it cancels a statement of this connection. */
  #cancelKey: { readonly processID: number; readonly secretKey: number } | undefined

  constructor(config: ClientConfig = {}) {
    super(config)
    // A connection may break while nobody listens, such as just before a pool does: that fails the next statement, and
    // must not end the process.
    this.on('error', () => {})
    this.#mustProve = /[?&]require_auth=scram-sha-256(&|$)/.test(config.connectionString ?? '')
    const { connection } = this
    const refuseOpenly = () => {
      if (this.ssl) return
      this.#asksOpenly = true
      connection.stream.destroy()
    }
    // We listen before pg does, and what it then answers finds no connection any more.
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

  /** Asks the server to cancel what this connection runs. Nothing tells whether it came in time. */
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
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<Client> | undefined {
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
      // pg would go on listening, and take what comes next for a success.
      void this.end().catch(() => {})
      this.connection.stream.destroy()
      throw this.#asksOpenly ? this.#refusal() : error
    }
  }

  #refusal(): PlatformError {
    const what = this.#asksOpenly
      ? 'asks for the password without SCRAM or TLS'
      : 'does not prove that it knows the password'
    const message = `What answers at ${this.host}:${this.port} ${what}, so Parley does not talk to it. If it is your Postgres, set password_encryption to scram-sha-256 there and its users' passwords anew, or use TLS (?sslmode=verify-full in DATABASE_URL); if not, another program has taken that port.`
    return new PlatformError('database_unavailable', { message })
  }
}

export interface HeldConnection {
  close(): Promise<void>
}

const RETRY_MS = 100

// The server notices within half a minute that our machine has gone silent, and ends no idle connection.
const SETTINGS = `select set_config('tcp_keepalives_idle', '15', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
  set_config('idle_session_timeout', '0', false)`

/** Keeps a connection open, and opens another whenever it is lost. `begin` runs on each before it counts as open. */
export async function holdConnection(
  config: ClientConfig,
  begin: (client: Client) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<HeldConnection> {
  let held: Client | undefined
  let returning: Promise<void> | undefined
  const closing = new AbortController()

  const hold = async () => {
    const client = new GuardedClient(config)
    const lose = (error: unknown) => {
      if (held !== client || closing.signal.aborted) return
      held = undefined
      onError(error)
      returning = comeBack()
    }
    client.on('error', lose)
    client.on('end', () => lose(new Error('Connection terminated')))
    try {
      await client.connect()
      await client.query(SETTINGS)
      await begin(client)
      held = client
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  const comeBack = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const outcome = await hold().catch(() => 'failed' as const)
      if (outcome !== 'failed') return
      await pause(RETRY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }

  await hold()
  return {
    async close() {
      closing.abort()
      await returning
      await held?.end()
    },
  }
}
