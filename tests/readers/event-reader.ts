import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { applyEvent, openTranscript, turnsOf } from '@parley/api-client'
import type { SessionEvent } from '@parley/contracts'

/** How a reader behaves: how long it dawdles after a piece, and after how many events it drops off. */
export interface Manner {
  readonly dawdleMs: number
  readonly dropsAfter: number
}

export interface Reading {
  readonly events: readonly SessionEvent[]
  readonly connections: number
}

/** Reads a session's events over HTTP as S6 has it, coming back whenever it drops off, until `isLast`. */
export async function readEvents(
  { path, token, servers }: { path: string; token: string; servers: () => readonly string[] },
  { dawdleMs, dropsAfter }: Manner,
  isLast: (event: SessionEvent) => boolean,
): Promise<Reading> {
  const events: SessionEvent[] = []
  let seen = 0
  let connections = 0

  /** True once the last event was read. */
  const readOnce = async (server: string): Promise<boolean> => {
    const abort = new AbortController()
    const dropAt = events.length + 1 + randomInt(dropsAfter)
    const response = await fetch(`${server}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'last-event-id': String(seen) },
      signal: abort.signal,
    })
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`)
    let rest = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + piece).split('\n\n')
      rest = frames.pop() ?? ''
      for (const event of frames.flatMap(eventIn)) {
        const from = event.fromSequence ?? event.sequenceNumber
        if (from > seen + 1) throw new Error(`a gap: ${from} after ${seen}`)
        events.push(event)
        seen = event.sequenceNumber
        if (isLast(event)) {
          abort.abort()
          return true
        }
        if (events.length === dropAt) {
          abort.abort()
          return false
        }
      }
      if (dawdleMs > 0) await pause(randomInt(dawdleMs))
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

function eventIn(frame: string): SessionEvent[] {
  const data = frame.split('\n').find((line) => line.startsWith('data: '))
  return data === undefined ? [] : [JSON.parse(data.slice('data: '.length)) as SessionEvent]
}

/** Everything but the text of steps, which is told in as many pieces as it happens to come in. */
export const storedOf = (events: readonly SessionEvent[]) =>
  events.flatMap((event) =>
    event.type === 'agent:token' || event.type === 'agent:reasoning'
      ? []
      : [{ ...event, fromSequence: undefined }],
  )

export const transcriptOf = (events: readonly SessionEvent[]) =>
  turnsOf(events.reduce(applyEvent, openTranscript({ lastSequence: 0 }, [])))
