import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionEvent } from '@parley/contracts'
import { applyEvent } from './apply-event.ts'
import { type Given, type RecordedEvent, recordEvents, session } from './recorded-events.fixture.ts'
import { type Transcript, type TranscriptTurn, openTranscript } from './transcript.ts'
import { listTurns } from './list-turns.ts'

/** Events per connection, events missed in between, and which live ones arrive merged. */
const connection = fc.record({
  brings: fc.nat({ max: 8 }),
  missed: fc.nat({ max: 8 }),
  joins: fc.array(fc.boolean(), { maxLength: 8 }),
})
const connections = fc.array(connection, { maxLength: 8 })

const empty = openTranscript({ lastSequence: 0 }, [])

const RUNS = { numRuns: 500 }

test('[S6] the transcript is the same over any number of connections, split or merged', () => {
  fc.assert(
    fc.property(session, connections, (questions, over) => {
      const recorded = recordEvents(questions)
      const expected = wholeOf(recorded)
      const transcript = readOver(over, recorded, empty, 0)
      expect(listTurns(transcript)).toEqual(listTurns(expected))
      expect(transcript.seen).toBe(expected.seen)
      expect(transcript.openTurn).toEqual(expected.openTurn)
    }),
    RUNS,
  )
})

test('[S6] a later reader with the stored messages gets the same transcript', () => {
  fc.assert(
    fc.property(session, connections, fc.nat(), (questions, over, moment) => {
      const recorded = recordEvents(questions)
      const index = moment % recorded.length
      const { view, messages } = recorded[index] as RecordedEvent
      const expected = wholeOf(recorded)
      const transcript = readOver(over, recorded, openTranscript(view, messages), index + 1)
      expect(listTurns(transcript)).toEqual(listTurns(expected))
      expect(transcript.openTurn).toEqual(expected.openTurn)
    }),
    RUNS,
  )
})

test('[S4] stored messages give the same answered turns, and the same parts of the others', () => {
  fc.assert(
    fc.property(session, (questions) => {
      const recorded = recordEvents(questions)
      const { view, messages } = recorded.at(-1) as RecordedEvent
      const readTurns = listTurns(wholeOf(recorded))
      const known = listTurns({ ...openTranscript(view, messages), openTurn: undefined })
      expect(known.map(({ key }) => key)).toEqual(readTurns.map(({ key }) => key))
      const answered = readTurns.filter(({ state }) => state === 'completed')
      expect(known).toEqual(expect.arrayContaining(answered))
      const others = known.filter(({ state }, index) => state === 'unanswered' && !isOpen(readTurns[index]))
      for (const { key, parts } of others) {
        expect(parts).toEqual(readTurns.find((turn) => turn.key === key)?.parts)
      }
    }),
    RUNS,
  )
})

/** The text of an open turn is not stored yet. */
const isOpen = (turn: TranscriptTurn | undefined) => turn?.state === 'running' || turn?.state === 'waiting'

const wholeOf = (recorded: readonly RecordedEvent[]): Transcript =>
  stored(recorded.map(({ event }) => event)).reduce(applyEvent, empty)

function readOver(
  over: Given<typeof connections>,
  recorded: readonly RecordedEvent[],
  opened: Transcript,
  since: number,
): Transcript {
  let transcript = opened
  const events = recorded.map(({ event }) => event)
  for (const event of deliver(events, over, { seen: () => transcript.seen, since })) {
    expect(event.fromSequence ?? event.sequenceNumber).toBeLessThanOrEqual(transcript.seen + 1)
    transcript = applyEvent(transcript, event)
  }
  return transcript
}

/** Without events that a later event replaces. */
function stored(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.filter(
    ({ sequenceNumber }, index) =>
      !events.slice(index + 1).some((later) => (later.fromSequence ?? Infinity) <= sequenceNumber),
  )
}

const TO_THE_END = { brings: Number.POSITIVE_INFINITY, missed: 0, joins: [] }

/** The events of a reconnecting reader: missed ones merged, then live ones. */
function* deliver(
  events: readonly SessionEvent[],
  over: Given<typeof connections>,
  { seen, since }: { seen: () => number; since: number },
): Generator<SessionEvent> {
  let recorded = since
  for (const { brings, missed, joins } of [...over, TO_THE_END]) {
    recorded = Math.min(events.length, recorded + missed)
    const past = joined(stored(events.slice(0, recorded)), () => true).filter(
      (event) => event.sequenceNumber > seen(),
    )
    const live = joined(events.slice(recorded), (index) => joins[index] ?? false)
    for (const event of [...past, ...live].slice(0, brings)) {
      yield event
      const index = events.findIndex(({ sequenceNumber }) => sequenceNumber === event.sequenceNumber)
      recorded = Math.max(recorded, index + 1)
    }
  }
}

function joined(
  events: readonly SessionEvent[],
  mayJoin: (index: number) => boolean,
): readonly SessionEvent[] {
  const runs: SessionEvent[] = []
  for (const [index, event] of events.entries()) {
    const longer = mayJoin(index) ? joinedTo(runs.at(-1), event) : undefined
    if (longer) runs.pop()
    runs.push(longer ?? event)
  }
  return runs
}

function joinedTo(last: SessionEvent | undefined, event: SessionEvent): SessionEvent | undefined {
  if (!last || !('stepId' in last) || !('stepId' in event) || last.stepId !== event.stepId) return undefined
  const fromSequence = last.fromSequence ?? last.sequenceNumber
  if (last.type === 'agent:token' && event.type === 'agent:token') {
    return { ...event, fromSequence, token: last.token + event.token }
  }
  if (last.type === 'agent:reasoning' && event.type === 'agent:reasoning') {
    return { ...event, fromSequence, text: last.text + event.text }
  }
  return undefined
}
