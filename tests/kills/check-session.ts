import type { DurableContentPart, SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '@parley/engine'
import { expect } from 'vitest'
import { scriptOf } from './script-of.ts'

/** What must hold for a session in the store at any moment, whoever was killed. */
export async function checkSession(
  store: SessionStore,
  sessionId: SessionId,
  { accepted, sent }: { accepted: readonly string[]; sent?: readonly string[] },
): Promise<void> {
  const record = await store.find(sessionId)
  const events = await all((after) => store.readEvents(sessionId, { after, limit: 500 }))
  const messages = await all((after) => store.readMessages(sessionId, { after, limit: 500 }))

  expect(messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual(messages.map((_, index) => index + 1))
  expect(messages.length).toBeGreaterThanOrEqual(record?.session.messageCount ?? Infinity)
  const questions = messages.filter(({ role }) => role === 'user').map(textOf)
  expect(new Set(questions).size, 'a message is there twice').toBe(questions.length)
  const missing = accepted.filter((text) => !questions.includes(text))
  expect(missing, 'accepted and not there').toEqual([])
  if (sent)
    expect(
      questions.filter((text) => !sent.includes(text)),
      'never sent',
    ).toEqual([])

  for (const turn of turnsOf(messages)) checkSteps(turn)
  checkNumbers(events)
  for (const event of events) checkReference(event, messages)
}

/** Every number up to the last is accounted for, none twice. */
function checkNumbers(events: readonly StoredEvent[]): void {
  let last = 0
  for (const { sequenceNumber, fromSequence = sequenceNumber } of events) {
    expect(fromSequence, `after event ${last}`).toBe(last + 1)
    expect(sequenceNumber).toBeGreaterThanOrEqual(fromSequence)
    last = sequenceNumber
  }
}

/** A step is stored whole or, where it was cancelled, cut between two words; its results follow its calls. */
function checkSteps([question, ...answers]: readonly SessionMessage[]): void {
  if (!question) return
  const script = scriptOf(textOf(question))
  const steps = answers.filter(({ role }) => role === 'assistant')
  let completed = 0
  for (const step of steps) {
    const expected = script[completed]
    expect(expected, 'a step too many').toBeDefined()
    if (!expected) return
    const whole: DurableContentPart[] = [
      ...part('reasoning', expected.reasoning),
      ...part('text', expected.words),
      ...expected.calls.map((call) => ({ type: 'tool_call' as const, call })),
    ]
    // A turn that goes on after a step was cut short takes that step anew.
    if (step.cutShort === undefined) {
      expect(step.content).toEqual(whole)
      completed += 1
    } else expect(`${expected.reasoning.join('')}${expected.words.join('')}`).toContain(textOf(step))
  }
  const called = steps.flatMap(({ content }) =>
    content.flatMap((one) => (one.type === 'tool_call' ? [one.call.id] : [])),
  )
  const answered = answers.flatMap(({ content }) =>
    content.flatMap((one) => (one.type === 'tool_result' ? [one.callId] : [])),
  )
  expect(answered, 'results in the order of their calls, none twice').toEqual(
    called.slice(0, answered.length),
  )
}

function checkReference({ of, body }: StoredEvent, messages: readonly SessionMessage[]): void {
  if (!of) return
  expect(messages[of.message - 1]?.content[of.part], `${body.type} of ${of.message}.${of.part}`).toBeDefined()
}

/** No number is told for two different things, in whatever process. */
export function createToldCheck(): (event: SessionEvent) => void {
  const told = new Map<string, object>()
  return (event) => {
    if (event.fromSequence !== undefined) return
    const { sessionId, sequenceNumber, timestamp: _, ...what } = event
    const place = `${sessionId} ${sequenceNumber}`
    expect({ place, ...what }).toEqual({ place, ...(told.get(place) ?? what) })
    told.set(place, what)
  }
}

function turnsOf(messages: readonly SessionMessage[]): readonly SessionMessage[][] {
  const turns: SessionMessage[][] = []
  for (const message of messages) {
    if (message.role === 'user') turns.push([])
    turns.at(-1)?.push(message)
  }
  return turns
}

const part = (type: 'reasoning' | 'text', words: readonly string[]): DurableContentPart[] =>
  words.length === 0 ? [] : [{ type, text: words.join('') }]

const textOf = ({ content }: SessionMessage): string =>
  content.map((one) => (one.type === 'text' || one.type === 'reasoning' ? one.text : '')).join('')

async function all<T extends { readonly sequenceNumber: number }>(
  read: (after: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const items: T[] = []
  for (;;) {
    const page = await read(items.at(-1)?.sequenceNumber ?? 0)
    if (page.length === 0) return items
    items.push(...page)
  }
}
