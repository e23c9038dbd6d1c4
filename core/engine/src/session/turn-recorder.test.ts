import type { SessionEvent, SessionId, StepId, ToolGrant, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createRunEventBus, type BusWriter } from '../events/run-event-bus.ts'
import type { Batch, Lease, Media } from '../ports/session-store.ts'
import { createTestIds } from '../testing/fixtures.ts'
import { createTurnRecorder, type RecorderHost } from './turn-recorder.ts'

const lease: Lease = {
  sessionId: 'ses_1' as SessionId,
  turnId: 'trn_1' as TurnId,
  epoch: 1,
  lastMessageNumber: 4,
  eventSequence: 10,
  openingEventNumber: 10,
  reservedUpTo: 100,
  turnNumber: 1,
  costs: {},
  grants: [],
}
const { turnId } = lease
const usage = { inputTokens: 1, outputTokens: 1 }
const endEvent = { type: 'session:turn_completed', turnId, stopReason: 'completed', usage } as const
const cancelEvent = { type: 'session:cancelled', turnId } as const
const createText = (text: string) => ({
  role: 'assistant' as const,
  content: [{ type: 'text' as const, text }],
})
const picture: Media = { mediaType: 'image/png', bytes: new Uint8Array([1]) }

/** A recorder whose store records its batches, and fails a given number of times. */
function recording(given: Partial<Lease> = {}, failures = 0) {
  const batches: Batch[] = []
  const told: SessionEvent[] = []
  let left = failures
  const bus = createRunEventBus()
  const host = {
    clock: { now: () => 0 },
    ids: createTestIds(),
    eventBus: {
      open: (sessionId: SessionId): BusWriter => {
        const writer = bus.open(sessionId)
        return { ...writer, publish: (event) => (told.push(event), writer.publish(event)) }
      },
    },
    store: {
      append: async (_: Lease, batch: Batch) => {
        left -= 1
        if (left >= 0) throw new Error('no answer')
        batches.push(batch)
      },
      readEvents: async () => [],
    },
  } as unknown as RecorderHost
  return { recorder: createTurnRecorder({ ...lease, ...given }, host), batches, told }
}

const listNumbers = (batches: readonly Batch[]) =>
  batches.map(({ events }) =>
    events.map(({ fromSequence, sequenceNumber }) =>
      fromSequence === undefined ? [sequenceNumber] : [fromSequence, sequenceNumber],
    ),
  )

test('[S6] events are numbered from the lease on, and account for numbers that were lost', async () => {
  const plain = recording()
  await plain.recorder.record(cancelEvent)
  await plain.recorder.record(endEvent)
  expect(listNumbers(plain.batches)).toEqual([[[10]], [[11]]])
  const lost = recording({ fromSequence: 7 })
  await lost.recorder.record(cancelEvent)
  await lost.recorder.record(endEvent)
  expect(listNumbers(lost.batches)).toEqual([[[7, 10]], [[11]]])
})

test('[S4] messages are stored with the event that follows them, once', async () => {
  const { recorder, batches } = recording()
  recorder.addMessage(createText('One.'), [picture])
  recorder.addMessage(createText('Two.'))
  await recorder.record(cancelEvent)
  recorder.addMessage(createText('Three.'))
  await recorder.record(endEvent)
  expect(batches.map(({ messages }) => messages.map(({ sequenceNumber }) => sequenceNumber))).toEqual([
    [5, 6],
    [7],
  ])
  expect(batches.map(({ media, lease: then }) => [media, then])).toEqual([
    [[picture], 'kept'],
    [undefined, 'ended'],
  ])
  expect(recorder.recordedMessages.map(({ sequenceNumber }) => sequenceNumber)).toEqual([5, 6, 7])
})

test('[S13] a turn that asks a person releases its lease', async () => {
  const { recorder, batches } = recording()
  await recorder.record({
    type: 'agent:approval_requested',
    turnId,
    callId: 'c',
    tool: 't',
    target: 'x',
  } as never)
  expect(batches.map(({ lease: then }) => then)).toEqual(['waiting'])
})

test('[S8] costs and grants are stored once after they change', async () => {
  const { recorder, batches, told } = recording()
  const grant: ToolGrant = { tool: 'edit_file', target: 'a.md' }
  recorder.addGrant(grant)
  recorder.addGrant({ ...grant })
  recorder.addCost({ model: 'test/a', usage, microcents: 7 }, usage)
  await recorder.record(cancelEvent)
  await recorder.record(endEvent)
  expect(batches.map(({ grants }) => grants)).toEqual([[grant], undefined])
  expect(batches.map(({ costs }) => costs?.['test/a']?.microcents)).toEqual([7, undefined])
  expect(told.map(({ type }) => type)).toEqual([
    'cost:updated',
    'session:cancelled',
    'session:turn_completed',
  ])
})

test('[S6] a held event is published once, after it is stored and before the next one', async () => {
  const { recorder, told } = recording()
  recorder.holdEvent(cancelEvent)
  expect(told).toEqual([])
  await recorder.record(endEvent)
  await recorder.record(endEvent)
  expect(told.map(({ type, sequenceNumber }) => [type, sequenceNumber])).toEqual([
    ['session:cancelled', 10],
    ['session:turn_completed', 11],
    ['session:turn_completed', 12],
  ])
})

test('[S4] messages and events that could not be stored are dropped, and their numbers are reused or covered', async () => {
  const { recorder, batches, told } = recording({}, 2)
  recorder.addMessage(createText('Lost.'), [picture])
  recorder.holdEvent(cancelEvent)
  await expect(recorder.record(endEvent)).rejects.toThrow('no answer')
  await recorder.discardPending()
  expect(recorder.recordedMessages).toEqual([])
  expect(batches).toEqual([])
  recorder.addMessage(createText('Kept.'))
  await recorder.record(endEvent)
  expect(batches).toMatchObject([{ messages: [{ sequenceNumber: 5, content: [{ text: 'Kept.' }] }] }])
  expect(batches[0]?.media).toBeUndefined()
  expect(listNumbers(batches)).toEqual([[[10, 12]]])
  expect(told.map(({ type }) => type)).toEqual(['session:turn_completed'])
})

test('[S4] stored messages stay when the rest is discarded', async () => {
  const { recorder, batches } = recording()
  recorder.addMessage(createText('Stored.'))
  await recorder.record(cancelEvent)
  recorder.addMessage(createText('Lost.'))
  await recorder.discardPending()
  expect(recorder.recordedMessages.map(({ sequenceNumber }) => sequenceNumber)).toEqual([5])
  recorder.addMessage(createText('Kept.'))
  await recorder.record(endEvent)
  expect(batches.at(-1)?.messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual([6])
  expect(listNumbers(batches)).toEqual([[[10]], [[11]]])
})

test('[S6] a published step is discarded by an event, an unpublished one is not', async () => {
  const silent = recording()
  silent.recorder.nextStepId()
  await silent.recorder.discardPending()
  expect(silent.told).toEqual([])
  const heard = recording()
  const stepId = heard.recorder.nextStepId()
  const step = { turnId, stepId, model: 'm', provider: 'p' } as never
  await heard.recorder.streamText(step, { type: 'text', turnId, stepId, model: 'm' } as never, 'Well')
  await heard.recorder.discardPending()
  expect(heard.told).toMatchObject([{ type: 'agent:step_discarded', stepId }])
})

test('[S6] attempts at a step are counted from zero for each message', () => {
  const { recorder } = recording()
  const steps = [recorder.nextStepId(), recorder.nextStepId()]
  recorder.addMessage(createText('One.'))
  steps.push(recorder.nextStepId())
  expect(steps).toEqual(['stp_1x5x0', 'stp_1x5x1', 'stp_1x6x0'] as unknown as StepId[])
})

test('[S6] past the reserved numbers more are reserved with the event itself', async () => {
  const { recorder, batches } = recording({ reservedUpTo: 10 })
  await recorder.record(cancelEvent)
  await recorder.record(cancelEvent)
  await recorder.record(endEvent)
  expect(batches.map(({ reservedUpTo }) => reservedUpTo)).toEqual([10, 11 + 65_536, 11 + 65_536])
})
