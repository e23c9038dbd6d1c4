import type { RawData, WebSocket } from 'ws'
import { parseClientFrame, type ParsedFrame } from './client-frame.ts'
import { isWanted, type ServerEvent } from './server-event.ts'

/** One client's socket, with bounds on what it may keep waiting here, both ways. */
export interface Connection {
  /** What the client sends, until the socket is closed. */
  readonly frames: AsyncIterableIterator<ParsedFrame>
  /** Sends what the client wants to know of. Nothing happens once the socket is closed. */
  readonly send: (event: ServerEvent) => void
  want(events: readonly string[]): void
  /** Asks the client to close, and cuts the socket where it does not. */
  close(code: number, reason: string): void
  /** Cuts the socket without a word. */
  cut(): void
  /** Asks for a sign of life below the protocol. */
  probe(): void
  /** What the socket was closed with; set once `frames` has ended. */
  closedWith(): number
}

interface ConnectionHost {
  /** The client does not read what it is sent. */
  readonly onStuck: () => void
  readonly onSignOfLife: () => void
}

/** Beyond these the client is kept from sending until there is room again. */
const MOST_WAITING = 200
/** What may stand in the socket's own buffer, some seconds of sound. */
const MOST_UNSENT_BYTES = 4_000_000
/** How long a client has to answer a close. */
const CLOSING_MS = 1_000
/** The protocol's own bound on a reason. */
const MOST_REASON_BYTES = 123

/** Listens from the moment it is called, so that no frame is lost. */
export function openConnection(socket: WebSocket, host: ConnectionHost): Connection {
  const waiting: ParsedFrame[] = []
  let wanted: readonly string[] | undefined
  let wake: (() => void) | undefined
  let closedWith: number | undefined
  let cutting: NodeJS.Timeout | undefined

  socket.on('message', (data, isBinary) => {
    waiting.push(isBinary ? BINARY : parseClientFrame(textOf(data)))
    if (waiting.length >= MOST_WAITING) socket.pause()
    wake?.()
  })
  socket.on('pong', host.onSignOfLife)
  // What is wrong with the socket is followed by its close.
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
        if (socket.isPaused && waiting.length < MOST_WAITING / 2) socket.resume()
        yield frame
      } else if (closedWith === undefined) {
        await new Promise<void>((resolve) => (wake = resolve))
      } else return
    }
  }

  return {
    frames: frames(),
    send(event) {
      if (socket.readyState !== socket.OPEN || (wanted && !isWanted(event, wanted))) return
      if (socket.bufferedAmount > MOST_UNSENT_BYTES) host.onStuck()
      else socket.send(JSON.stringify(event))
    },
    want(events) {
      wanted = events
    },
    close(code, reason) {
      if (closedWith !== undefined || cutting) return
      waiting.length = 0
      if (socket.isPaused) socket.resume()
      socket.close(code, bounded(reason))
      cutting = setTimeout(() => socket.terminate(), CLOSING_MS)
    },
    cut: () => socket.terminate(),
    probe: () => {
      if (socket.readyState === socket.OPEN) socket.ping()
    },
    closedWith: () => closedWith ?? ABNORMAL,
  }
}

const BINARY: ParsedFrame = { kind: 'bad', why: 'A message is JSON in a text frame.' }
const ABNORMAL = 1006

/** A socket gives its text in one buffer unless it is told otherwise. */
export const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString('utf8') : '')

function bounded(reason: string): string {
  let text = reason
  while (Buffer.byteLength(text) > MOST_REASON_BYTES) text = text.slice(0, -1)
  return text
}
