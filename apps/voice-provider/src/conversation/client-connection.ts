import type { RawData, WebSocket } from 'ws'
import { parseClientFrame, type ParsedFrame } from './client-frame.ts'
import { isSubscribed, type ServerEvent } from './server-event.ts'

/** One client's socket, with limits on unread and unsent data. */
export interface ClientConnection {
  /** Frames from the client, until the socket closes. */
  readonly frames: AsyncIterableIterator<ParsedFrame>
  /** Sends an event if the client subscribed to its type. Does nothing after the socket closed. */
  readonly send: (event: ServerEvent) => void
  subscribe(events: readonly string[]): void
  /** Closes the socket; terminates it if the client does not answer. */
  close(code: number, reason: string): void
  /** Terminates the socket without a close frame. */
  cut(): void
  /** Sends a WebSocket ping. */
  probe(): void
  /** The close code; valid after `frames` ended. */
  closedWith(): number
}

interface ClientConnectionHost {
  /** Called when the client stops reading. */
  readonly onStuck: () => void
  readonly onSignOfLife: () => void
}

/** With more unread frames, reading from the socket pauses. */
const MAX_WAITING = 200
/** Limit of the socket's send buffer: some seconds of sound. */
const MAX_UNSENT_BYTES = 4_000_000
/** Time for the client to answer a close. */
const CLOSING_MS = 1_000
/** WebSocket limit for a close reason. */
const MAX_REASON_BYTES = 123

/** Listens at once, so no frame is lost. */
export function openClientConnection(socket: WebSocket, host: ClientConnectionHost): ClientConnection {
  const waiting: ParsedFrame[] = []
  let subscribed: readonly string[] | undefined
  let wake: (() => void) | undefined
  let closedWith: number | undefined
  let cutting: NodeJS.Timeout | undefined

  socket.on('message', (data, isBinary) => {
    waiting.push(isBinary ? BINARY : parseClientFrame(readSocketText(data)))
    if (waiting.length >= MAX_WAITING) socket.pause()
    wake?.()
  })
  socket.on('pong', host.onSignOfLife)
  // A close event follows every error.
  socket.on('error', () => undefined)
  socket.on('close', (code) => {
    closedWith = code
    clearTimeout(cutting)
    wake?.()
  })

  async function* frames(): AsyncGenerator<ParsedFrame, void> {
    for (;;) {
      const frame = waiting.shift()
      if (frame) {
        if (socket.isPaused && waiting.length < MAX_WAITING / 2) socket.resume()
        yield frame
      } else if (closedWith === undefined) {
        await new Promise<void>((resolve) => (wake = resolve))
      } else return
    }
  }

  return {
    frames: frames(),
    send(event) {
      if (socket.readyState !== socket.OPEN || (subscribed && !isSubscribed(event, subscribed))) return
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) host.onStuck()
      else socket.send(JSON.stringify(event))
    },
    subscribe(events) {
      subscribed = events
    },
    close(code, reason) {
      if (closedWith !== undefined || cutting) return
      waiting.length = 0
      if (socket.isPaused) socket.resume()
      socket.close(code, limitReason(reason))
      cutting = setTimeout(() => socket.terminate(), CLOSING_MS)
    },
    cut: () => socket.terminate(),
    probe: () => {
      if (socket.readyState === socket.OPEN) socket.ping()
    },
    closedWith: () => closedWith ?? ABNORMAL,
  }
}

const BINARY: ParsedFrame = { kind: 'invalid', reason: 'A message must be JSON in a text frame.' }
const ABNORMAL = 1006

/** By default a socket delivers text as one buffer. */
export const readSocketText = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString('utf8') : '')

function limitReason(reason: string): string {
  let text = reason
  while (Buffer.byteLength(text) > MAX_REASON_BYTES) text = text.slice(0, -1)
  return text
}
