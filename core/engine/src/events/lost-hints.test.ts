import { expect, test } from 'vitest'
import {
  followSession,
  readInOtherProcess,
  waitUntilQuiet,
  createSlowStore,
  createSteeredModel,
  createTestCluster,
} from './cluster.fixture.ts'
import type { StreamedEvent } from './step-text.ts'

test('[S6] lost text is requested again', async () => {
  const { here, there, id, model, reader, settle } = await readInOtherProcess()
  await here.sessions.send(id, 'Count')
  model.say('one ')
  await settle()
  model.say('two ')
  await waitUntilQuiet()
  there.drop('text')
  model.say('three ')
  await settle()
  expect(reader.events.slice(2)).toMatchObject([
    { token: 'one ', sequenceNumber: 3 },
    { token: 'one two three ', fromSequence: 3, sequenceNumber: 5 },
  ])
})

test('[S6] if the reply is lost too, the text comes from the store, without endless requests', async () => {
  const { here, there, id, model, reader, settle } = await readInOtherProcess()
  await here.sessions.send(id, 'Count')
  await settle()
  for (const word of ['one ', 'two ', 'three ', 'four ']) {
    model.say(word)
    await waitUntilQuiet()
    if (word !== 'four ') there.drop('text')
    there.deliver()
    await waitUntilQuiet()
  }
  expect(here.waiting()).toEqual(['text-requested'])
  here.drop('text-requested')
  expect(reader.said()).toBe('')
  model.finish()
  await settle()
  expect(reader.events.slice(2)).toMatchObject([
    { token: 'one two three four ', fromSequence: 3, sequenceNumber: 6 },
    { type: 'session:turn_completed' },
  ])
})

test('a reply that does not continue the known text is not requested again and again', async () => {
  const { open, settle } = createTestCluster()
  const [here, there] = [open(), open()]
  const { id: sessionId } = await here.start()
  const reader = followSession(there, sessionId)
  await settle()
  await here.sessions.send(sessionId, 'Hello')
  await settle()
  const answer = {
    type: 'agent:token',
    sessionId,
    sequenceNumber: 60,
    fromSequence: 50,
    token: 'x',
  } as StreamedEvent
  here.relay.notifyStored(sessionId, 2)
  here.relay.notifyText(sessionId, [answer])
  there.deliver()
  await waitUntilQuiet()
  expect(here.waiting()).toEqual([])
  expect(reader.types()).toEqual(['started', 'turn_started'])
})

test('[X4] readers lose nothing when a connection breaks and returns', async () => {
  const { here, there, id, model, reader, settle } = await readInOtherProcess()
  await here.sessions.send(id, 'Count')
  model.say('one ')
  await waitUntilQuiet()
  there.breakOff()
  await settle()
  expect(reader.said()).toBe('one ')
  model.say('two ')
  model.finish()
  await waitUntilQuiet()
  there.breakOff()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'token', 'turn_completed'])
})

test('[X4] the turn of a process that died is ended by another, for readers of a third', async () => {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const [doomed, heir, there] = [open({ model }), open(), open()]
  const { id } = await doomed.start()
  const reader = followSession(there, id)
  await settle()
  await doomed.sessions.send(id, 'Count')
  model.say('one ', 'two ')
  await settle()
  expect(reader.said()).toBe('one two ')
  doomed.die()
  await heir.sessions.settle(id)
  await settle()
  expect(reader.types().slice(2)).toEqual(['token', 'step_discarded', 'turn_completed'])
  expect(reader.events.at(-2)).toMatchObject({ fromSequence: 3 })
})

test('[X4] readers of a turn that lost its lease follow the new turn once the old one is done', async () => {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const [lost, heir] = [open({ model }), open()]
  const { id } = await lost.start()
  const writer = lost.eventBus.open(id)
  const reader = followSession(lost, id)
  await settle()
  await heir.sessions.send(id, 'Hello')
  await settle()
  expect(reader.types()).toEqual(['started'])
  writer.close()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started'])
})

test('[X4] messages that were queued when that turn opened are delivered, too', async () => {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const { through, slowDown, letGo } = createSlowStore()
  const [heir, lost] = [open({ model }), open({ through })]
  const { id } = await heir.start()
  const reader = followSession(lost, id)
  await settle()
  slowDown()
  await heir.sessions.send(id, 'Hello')
  lost.deliver()
  model.finish({ type: 'text', text: 'Yes.' })
  await waitUntilQuiet()
  lost.deliver()
  const writer = lost.eventBus.open(id)
  letGo()
  await settle()
  expect(reader.types()).toEqual(['started'])
  writer.close()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'turn_completed'])
})

test('a turn keeps its text if an earlier turn of the session closes late', async () => {
  const { open } = createTestCluster()
  const model = createSteeredModel()
  const here = open({ model })
  const { id } = await here.start()
  const late = here.eventBus.open(id)
  await here.sessions.send(id, 'Hello')
  model.say('Good day.')
  await waitUntilQuiet()
  late.close()
  model.finish()
  await waitUntilQuiet()
  expect(await here.store.readEvents(id, { after: 2, limit: 9 })).toMatchObject([
    { body: { type: 'agent:token' }, fromSequence: 3, sequenceNumber: 3 },
    { body: { type: 'session:turn_completed' }, sequenceNumber: 4 },
  ])
})

test('if the store cannot be read, readers get the error without endless requests', async () => {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const here = open({ model })
  let isDown = false
  const there = open({
    through: (store) => ({
      ...store,
      readEvents: async (sessionId, range) => {
        if (isDown) throw new Error('the store is away')
        return store.readEvents(sessionId, range)
      },
    }),
  })
  const { id } = await here.start()
  const reader = followSession(there, id)
  await settle()
  isDown = true
  const failure = reader.reading.catch((thrown: unknown) => thrown)
  await here.sessions.send(id, 'Hello')
  await settle()
  expect(await failure).toMatchObject({ message: 'the store is away' })
})

test('text that a slow store cannot process in time is dropped, and readers still get all of it', async () => {
  const { through, slowDown, letGo } = createSlowStore()
  const { here, there, id, model, reader, settle } = await readInOtherProcess({ through })
  slowDown()
  await here.sessions.send(id, 'Go on')
  there.deliver()
  model.say('x'.repeat(5_000_000))
  await waitUntilQuiet()
  const late = here.eventBus.attach(id).catchUp()
  model.finish()
  await waitUntilQuiet()
  here.relay.notifyText(id, late)
  there.deliver()
  await waitUntilQuiet()
  letGo()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'turn_completed'])
  expect(reader.said()).toHaveLength(5_000_000)
})
