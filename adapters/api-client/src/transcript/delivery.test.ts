import type { CallId, SessionEvent, StepId, TurnEvent, TurnId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEvent } from './apply-event.ts'
import { call, completed, outcome, question, reasoning, stamped, token } from './events.fixture.ts'
import { openTranscript } from './transcript.ts'
import { turnsOf } from './turns-of.ts'

const step = fc.record({
  said: fc.array(fc.tuple(fc.constantFrom(token, reasoning), fc.string({ minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 6,
  }),
  after: fc.constantFrom('nothing', 'tool', 'discarded'),
})
/** A turn whose process dies says something that is never stored, and its end is never told. */
const turn = fc.record({
  skipped: fc.nat({ max: 3 }),
  steps: fc.array(step, { maxLength: 3 }),
  lost: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
})
const session = fc.array(turn, { minLength: 1, maxLength: 3 })

/** How many events a connection brings, how many happen while there is none, and which live ones come joined. */
const connection = fc.record({
  brings: fc.nat({ max: 8 }),
  missed: fc.nat({ max: 8 }),
  joins: fc.array(fc.boolean(), { maxLength: 8 }),
})

type Given<A> = A extends fc.Arbitrary<infer T> ? T : never

test('[S6] over any number of connections, split or joined, the transcript is the same', () => {
  fc.assert(
    fc.property(session, fc.array(connection, { maxLength: 8 }), (turns, connections) => {
      const empty = openTranscript({ lastSequence: 0 }, [])
      const events = happenedIn(turns)
      const expected = stored(events).reduce(applyEvent, empty)
      let transcript = empty
      for (const event of deliver(events, connections, () => transcript.seen)) {
        expect(event.fromSequence ?? event.sequenceNumber).toBeLessThanOrEqual(transcript.seen + 1)
        transcript = applyEvent(transcript, event)
      }
      expect(turnsOf(transcript)).toEqual(turnsOf(expected))
      expect(transcript.seen).toBe(expected.seen)
    }),
  )
})

function happenedIn(turns: Given<typeof session>): readonly SessionEvent[] {
  const events: SessionEvent[] = []
  const tell = (event: TurnEvent, skipped = 0, from?: number) => {
    const first = (events.at(-1)?.sequenceNumber ?? 0) + 1
    events.push(stamped(first + skipped, event, from ?? (skipped > 0 ? first : undefined)))
  }
  let lostFrom: number | undefined
  for (const [turnIndex, { skipped, steps, lost }] of turns.entries()) {
    const turnId = `trn_${turnIndex}` as TurnId
    tell(question(turnIndex * 10 + 1, turnId), skipped, lostFrom)
    lostFrom = undefined
    for (const [stepIndex, { said, after }] of steps.entries()) {
      const stepId = `stp_${turnIndex}x${stepIndex}` as StepId
      for (const [say, text] of said) tell(say(text, stepId, turnId))
      const callId = `call-${stepId}` as CallId
      if (after === 'discarded') tell({ type: 'agent:step_discarded', turnId, stepId })
      if (after !== 'tool') continue
      tell({ type: 'agent:tool_call', turnId, callId, call: { ...call, id: callId } })
      tell({ type: 'agent:tool_result', turnId, callId, outcome })
    }
    if (lost.length > 0 && turnIndex < turns.length - 1) {
      lostFrom = (events.at(-1)?.sequenceNumber ?? 0) + 1
      for (const text of lost) tell(token(text, `stp_${turnIndex}lost`, turnId))
    } else tell(completed({}, turnId))
  }
  return events
}

/** Without what a later event stands for. */
function stored(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.filter(
    (event, index) =>
      !events
        .slice(index + 1)
        .some((later) => later.type === 'session:turn_started' && firstOf(later) <= event.sequenceNumber),
  )
}

const firstOf = ({ fromSequence, sequenceNumber }: SessionEvent) => fromSequence ?? sequenceNumber

const TO_THE_END = { brings: Number.POSITIVE_INFINITY, missed: 0, joins: [] }

/** What a reader gets that connects again and again: what it missed, joined, and then events as they happen. */
function* deliver(
  events: readonly SessionEvent[],
  connections: readonly Given<typeof connection>[],
  seen: () => number,
): Generator<SessionEvent> {
  let happened = 0
  for (const { brings, missed, joins } of [...connections, TO_THE_END]) {
    happened = Math.min(events.length, happened + missed)
    const past = joined(stored(events.slice(0, happened)), () => true).filter(
      (event) => event.sequenceNumber > seen(),
    )
    const live = joined(events.slice(happened), (index) => joins[index] ?? false)
    for (const event of [...past, ...live].slice(0, brings)) {
      yield event
      const index = events.findIndex(({ sequenceNumber }) => sequenceNumber === event.sequenceNumber)
      happened = Math.max(happened, index + 1)
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
