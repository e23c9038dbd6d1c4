import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createFakeTools } from '../testing/fakes.ts'
import {
  followSession,
  readInOtherProcess,
  waitUntilQuiet,
  createSlowStore,
  createSteeredModel,
  createTestCluster,
} from './cluster.fixture.ts'

test('[S6] text reaches another process before its step ends', async () => {
  const { here, id, model, reader, settle } = await readInOtherProcess()
  await here.sessions.send(id, 'Hello')
  model.say('Good ', 'day ')
  await settle()
  expect(reader.said()).toBe('Good day ')
  model.say('to you.')
  await settle()
  expect(reader.said()).toBe('Good day to you.')
  model.finish()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'token', 'turn_completed'])
})

test('[S6] a reader that joins during a step gets its text so far, then the rest', async () => {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  await here.sessions.send(id, 'Count')
  model.say('one ', 'two ')
  await settle()
  const reader = followSession(there, id, 2)
  await settle()
  model.say('three')
  await settle()
  expect(reader.events).toMatchObject([
    { token: 'one two ', fromSequence: 3, sequenceNumber: 4 },
    { token: 'three', sequenceNumber: 5 },
  ])
})

test('text is not sent while nobody requested it', async () => {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  await here.sessions.send(id, 'Hello')
  model.say('Good ', 'day.')
  await waitUntilQuiet()
  expect(there.waiting()).toEqual(['stored'])
  model.finish()
  await settle()
})

test('stored events are read once for all readers of a process', async () => {
  const { open, settle } = createTestCluster()
  const read: number[] = []
  const model = createSteeredModel()
  const here = open({ model })
  const there = open({
    through: (store) => ({
      ...store,
      readEvents(sessionId, range) {
        read.push(range.after)
        return store.readEvents(sessionId, range)
      },
    }),
  })
  const { id } = await here.start()
  const readers = Array.from({ length: 20 }, () => followSession(there, id))
  await settle()
  read.length = 0
  await here.sessions.send(id, 'Hello')
  model.say('Yes.')
  model.finish()
  await settle()
  for (const { types } of readers) expect(types().at(-1)).toBe('turn_completed')
  expect(read.length).toBeLessThanOrEqual(3)
})

test('[S6] one long word is delivered like any other', async () => {
  const { here, id, model, reader, settle } = await readInOtherProcess()
  await here.sessions.send(id, 'Hello')
  await settle()
  model.say('x'.repeat(5_000_000))
  await settle()
  expect(reader.said()).toHaveLength(5_000_000)
})

test('[S6] a reader that joins after a step was stored does not get its text twice', async () => {
  const { here, there, id, model, settle } = await readInOtherProcess()
  await here.sessions.send(id, 'Hello')
  await settle()
  model.say('Good day.')
  await settle()
  const late = there.eventBus.attach(id)
  expect(late.catchUp()).toMatchObject([{ token: 'Good day.' }])
  model.finish()
  await settle()
  expect(late.catchUp()).toEqual([])
})

test('[S6] a session moves between processes, and its readers follow', async () => {
  const { open, settle } = createTestCluster()
  const [model, otherModel] = [createSteeredModel(), createSteeredModel()]
  const [one, other] = [open({ model }), open({ model: otherModel })]
  const { id } = await one.start()
  const readers = [followSession(one, id), followSession(other, id)]
  const runTurn = async ({ sessions }: typeof one, steering: typeof model) => {
    await sessions.send(id, 'Count')
    await settle()
    for (const word of ['one ', 'two ']) {
      steering.say(word)
      await settle()
    }
    for (const { said } of readers) expect(said().endsWith('one two ')).toBe(true)
    steering.finish()
    await settle()
  }
  await runTurn(one, model)
  await runTurn(other, otherModel)
  await runTurn(other, otherModel)
  await runTurn(one, model)
  const numbers = Array.from({ length: 17 }, (_, index) => index + 1)
  for (const { events } of readers) {
    expect(events.map(({ sequenceNumber }) => sequenceNumber)).toEqual(numbers)
    expect(events.every(({ fromSequence }) => fromSequence === undefined)).toBe(true)
  }
})

test('[S13] text after a person’s decision is delivered, in whichever process they decided', async () => {
  const { open, settle } = createTestCluster()
  const call = { id: 'call-1' as CallId, name: 'delete', input: {} }
  const tools = createFakeTools({
    findTargetToApprove: () => '/x',
    run: async () => ({ kind: 'ok', text: 'done' }),
  })
  const [asking, answering] = [createSteeredModel(), createSteeredModel()]
  const here = open({ model: asking, tools })
  const [elsewhere, there] = [open({ model: answering, tools }), open()]
  const { id } = await here.start()
  const reader = followSession(there, id)
  await here.sessions.send(id, 'Delete it')
  asking.finish({ type: 'tool_call', call })
  await settle()
  expect(reader.types().at(-1)).toBe('approval_requested')
  await elsewhere.sessions.decide(id, call.id, { decision: 'allow' })
  await settle()
  answering.say('It is gone.')
  await settle()
  expect(reader.said()).toBe('It is gone.')
})

test('[S6] readers of a turn in another process lose nothing when the next turn begins here', async () => {
  const { open, settle } = createTestCluster()
  const [model, otherModel] = [createSteeredModel(), createSteeredModel()]
  const { through, slowDown, letGo } = createSlowStore()
  const [here, there] = [open({ model }), open({ model: otherModel, through })]
  const { id } = await here.start()
  const reader = followSession(there, id)
  await settle()
  slowDown()
  await here.sessions.send(id, 'First')
  there.deliver()
  model.finish({ type: 'text', text: 'One.' })
  await waitUntilQuiet()
  await there.sessions.send(id, 'Second')
  letGo()
  otherModel.finish({ type: 'text', text: 'Two.' })
  await settle()
  expect(reader.said()).toBe('One.Two.')
  expect(reader.types().filter((type) => type !== 'token')).toEqual([
    'started',
    'turn_started',
    'turn_completed',
    'turn_started',
    'turn_completed',
  ])
})
