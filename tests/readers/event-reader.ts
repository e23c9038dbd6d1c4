import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { applyEvent, openTranscript, listTurns } from '@parley/api-client'
import type { SessionEvent } from '@parley/contracts'

export interface ReaderBehaviour {
  /** Maximum pause after each chunk. */
  readonly pauseMs: number
  /** Maximum number of events before it disconnects. */
  readonly disconnectsAfter: number
}

export interface ReaderResult {
  readonly events: readonly SessionEvent[]
  readonly connections: number
}

/** Reads a session's events over HTTP until `isLast`. Reconnects after its last event, to any server. */
export async function readEvents(
  { path, token, servers }: { path: string; token: string; servers: () => readonly string[] },
  { pauseMs, disconnectsAfter }: ReaderBehaviour,
  isLast: (event: SessionEvent) => boolean,
): Promise<ReaderResult> {
  const events: SessionEvent[] = []
  let seen = 0
  let connections = 0

  /** Returns true after the last event. */
  const readOnce = async (server: string): Promise<boolean> => {
    const abort = new AbortController()
    const disconnectAt = events.length + 1 + randomInt(disconnectsAfter)
    const response = await fetch(`${server}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'last-event-id': String(seen) },
      signal: abort.signal,
    })
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`)
    let rest = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + piece).split('\n\n')
      rest = frames.pop() ?? ''
      for (const event of frames.flatMap(parseFrame)) {
        const from = event.fromSequence ?? event.sequenceNumber
        if (from > seen + 1) throw new Error(`a gap: ${from} after ${seen}`)
        events.push(event)
        seen = event.sequenceNumber
        if (isLast(event)) {
          abort.abort()
          return true
        }
        if (events.length === disconnectAt) {
          abort.abort()
          return false
        }
      }
      if (pauseMs > 0) await pause(randomInt(pauseMs))
    }
    return false
  }

  for (;;) {
    connections += 1
    const [server = ''] = servers().toSorted(() => randomInt(3) - 1)
    const isDone = await readOnce(server).catch((failure: unknown) => {
      if (failure instanceof Error && failure.message.startsWith('a gap')) throw failure
      return false
    })
    if (isDone) return { events, connections }
    await pause(randomInt(20))
  }
}

function parseFrame(frame: string): SessionEvent[] {
  const data = frame.split('\n').find((line) => line.startsWith('data: '))
  return data === undefined ? [] : [JSON.parse(data.slice('data: '.length)) as SessionEvent]
}

/** Omits the text of steps, which arrives in a varying number of pieces. */
export const omitStreamedText = (events: readonly SessionEvent[]) =>
  events.flatMap((event) =>
    event.type === 'agent:token' || event.type === 'agent:reasoning'
      ? []
      : [{ ...event, fromSequence: undefined }],
  )

export const toTurns = (events: readonly SessionEvent[]) =>
  listTurns(events.reduce(applyEvent, openTranscript({ lastSequence: 0 }, [])))
