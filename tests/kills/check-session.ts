import type { DurableContentPart, SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '@parley/engine'
import { expect } from 'vitest'
import { createScript } from './trial-model.ts'

/** Checks everything that must hold for a stored session at any moment, also after kills. */
export async function checkSession(
  store: SessionStore,
  sessionId: SessionId,
  { accepted, sent }: { accepted: readonly string[]; sent?: readonly string[] },
): Promise<void> {
  const record = await store.find(sessionId)
  const events = await readAllPages((after) => store.readEvents(sessionId, { after, limit: 500 }))
  const messages = await readAllPages((after) => store.readMessages(sessionId, { after, limit: 500 }))

  expect(messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual(messages.map((_, index) => index + 1))
  expect(messages.length).toBeGreaterThanOrEqual(record?.session.messageCount ?? Infinity)
  const questions = messages.filter(({ role }) => role === 'user').map(getMessageText)
  expect(new Set(questions).size, 'a message is stored twice').toBe(questions.length)
  const missing = accepted.filter((text) => !questions.includes(text))
  expect(missing, 'accepted but not stored').toEqual([])
  if (sent)
    expect(
      questions.filter((text) => !sent.includes(text)),
      'never sent',
    ).toEqual([])

  for (const turn of groupTurns(messages)) checkSteps(turn)
  checkNumbers(events)
  for (const event of events) checkReference(event, messages)
}

/** The numbers have no gaps and no duplicates. */
function checkNumbers(events: readonly StoredEvent[]): void {
  let last = 0
  for (const { sequenceNumber, fromSequence = sequenceNumber } of events) {
    expect(fromSequence, `after event ${last}`).toBe(last + 1)
    expect(sequenceNumber).toBeGreaterThanOrEqual(fromSequence)
    last = sequenceNumber
  }
}

/** A step is stored whole; a cancelled one is cut between two words. Results follow their calls. */
function checkSteps([question, ...answers]: readonly SessionMessage[]): void {
  if (!question) return
  const script = createScript(getMessageText(question))
  const steps = answers.filter(({ role }) => role === 'assistant')
  let completed = 0
  for (const step of steps) {
    const expected = script[completed]
    expect(expected, 'one step too many').toBeDefined()
    if (!expected) return
    const whole: DurableContentPart[] = [
      ...toContentParts('reasoning', expected.reasoning),
      ...toContentParts('text', expected.words),
      ...expected.calls.map((call) => ({ type: 'tool_call' as const, call })),
    ]
    // A turn that continues after a cut step repeats that step.
    if (step.cutShort === undefined) {
      expect(step.content).toEqual(whole)
      completed += 1
    } else expect(`${expected.reasoning.join('')}${expected.words.join('')}`).toContain(getMessageText(step))
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

function checkReference({ messageRef, body }: StoredEvent, messages: readonly SessionMessage[]): void {
  if (!messageRef) return
  const { message, part } = messageRef
  expect(messages[message - 1]?.content[part], `${body.type} of ${message}.${part}`).toBeDefined()
}

/** Checks that all processes report the same event for a number. */
export function createEventCheck(): (event: SessionEvent) => void {
  const eventsByPlace = new Map<string, object>()
  return (event) => {
    if (event.fromSequence !== undefined) return
    const { sessionId, sequenceNumber, timestamp: _, ...content } = event
    const place = `${sessionId} ${sequenceNumber}`
    expect({ place, ...content }).toEqual({ place, ...(eventsByPlace.get(place) ?? content) })
    eventsByPlace.set(place, content)
  }
}

function groupTurns(messages: readonly SessionMessage[]): readonly SessionMessage[][] {
  const turns: SessionMessage[][] = []
  for (const message of messages) {
    if (message.role === 'user') turns.push([])
    turns.at(-1)?.push(message)
  }
  return turns
}

const toContentParts = (type: 'reasoning' | 'text', words: readonly string[]): DurableContentPart[] =>
  words.length === 0 ? [] : [{ type, text: words.join('') }]

const getMessageText = ({ content }: SessionMessage): string =>
  content.map((one) => (one.type === 'text' || one.type === 'reasoning' ? one.text : '')).join('')

async function readAllPages<T extends { readonly sequenceNumber: number }>(
  read: (after: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const items: T[] = []
  for (;;) {
    const page = await read(items.at(-1)?.sequenceNumber ?? 0)
    if (page.length === 0) return items
    items.push(...page)
  }
}
