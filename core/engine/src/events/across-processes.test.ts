import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { NeedsPerson, ToolPort } from '../ports/tools.ts'
import { follow, quiet, slowStore, steered, testCluster } from './cluster.fixture.ts'

test('[S6] text is heard in another process before its step ends', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  const reader = follow(there, id)
  await settle()
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

test('[S6] who comes in the middle of a step is told its text so far, then the rest', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  await here.sessions.send(id, 'Count')
  model.say('one ', 'two ')
  await settle()
  const reader = follow(there, id, 2)
  await settle()
  model.say('three')
  await settle()
  expect(reader.events).toMatchObject([
    { token: 'one two ', fromSequence: 3, sequenceNumber: 4 },
    { token: 'three', sequenceNumber: 5 },
  ])
})

test('text goes nowhere while nobody asked for it', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  await here.sessions.send(id, 'Hello')
  model.say('Good ', 'day.')
  await quiet()
  expect(there.waiting()).toEqual(['stored'])
  model.finish()
  await settle()
})

test('what is stored is read once for all readers of a process', async () => {
  const { open, settle } = testCluster()
  const read: number[] = []
  const model = steered()
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
  const readers = Array.from({ length: 20 }, () => follow(there, id))
  await settle()
  read.length = 0
  await here.sessions.send(id, 'Hello')
  model.say('Yes.')
  model.finish()
  await settle()
  for (const { types } of readers) expect(types().at(-1)).toBe('turn_completed')
  expect(read.length).toBeLessThanOrEqual(3)
})

test('[S6] text that was lost on the way is asked for again', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  const reader = follow(there, id)
  await settle()
  await here.sessions.send(id, 'Count')
  model.say('one ')
  await settle()
  model.say('two ')
  await quiet()
  there.drop('said')
  model.say('three ')
  await settle()
  expect(reader.events.slice(2)).toMatchObject([
    { token: 'one ', sequenceNumber: 3 },
    { token: 'one two three ', fromSequence: 3, sequenceNumber: 5 },
  ])
})

test('[S6] where the answer is lost too, the text comes from the store, and nobody asks without end', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  const reader = follow(there, id)
  await settle()
  await here.sessions.send(id, 'Count')
  await settle()
  for (const word of ['one ', 'two ', 'three ', 'four ']) {
    model.say(word)
    await quiet()
    if (word !== 'four ') there.drop('said')
    there.deliver()
    await quiet()
  }
  expect(here.waiting()).toEqual(['asked'])
  here.drop('asked')
  expect(reader.said()).toBe('')
  model.finish()
  await settle()
  expect(reader.events.slice(2)).toMatchObject([
    { token: 'one two three four ', fromSequence: 3, sequenceNumber: 6 },
    { type: 'session:turn_completed' },
  ])
})

test('[S6] who comes after a step was stored is not told its text a second time', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  follow(there, id)
  await settle()
  await here.sessions.send(id, 'Hello')
  await settle()
  model.say('Good day.')
  await settle()
  const late = there.hub.attach(id)
  expect(late.restart()).toMatchObject([{ token: 'Good day.' }])
  model.finish()
  await settle()
  expect(late.restart()).toEqual([])
})

test('[X4] a connection that broke and came back has lost nothing for its readers', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [here, there] = [open({ model }), open()]
  const { id } = await here.start()
  const reader = follow(there, id)
  await settle()
  await here.sessions.send(id, 'Count')
  model.say('one ')
  await quiet()
  there.breakOff()
  await settle()
  expect(reader.said()).toBe('one ')
  model.say('two ')
  model.finish()
  await quiet()
  there.breakOff()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'token', 'turn_completed'])
})

test('[X4] the turn of a process that died is ended by another, for readers of a third', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [doomed, heir, there] = [open({ model }), open(), open()]
  const { id } = await doomed.start()
  const reader = follow(there, id)
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

test('[S6] a session goes from process to process, and its readers with it', async () => {
  const { open, settle } = testCluster()
  const [model, otherModel] = [steered(), steered()]
  const [one, other] = [open({ model }), open({ model: otherModel })]
  const { id } = await one.start()
  const readers = [follow(one, id), follow(other, id)]
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

test('[S13] text that follows a person’s decision is heard as well, wherever they decided', async () => {
  const { open, settle } = testCluster()
  const call = { id: 'call-1' as CallId, name: 'delete', input: {} }
  const tools: ToolPort = {
    declarations: [],
    run: async (_, { decision }) =>
      decision
        ? { kind: 'ok', text: 'done' }
        : ({ kind: 'needs-person', target: '/x' } satisfies NeedsPerson),
  }
  const [asking, answering] = [steered(), steered()]
  const here = open({ model: asking, tools })
  const [elsewhere, there] = [open({ model: answering, tools }), open()]
  const { id } = await here.start()
  const reader = follow(there, id)
  await here.sessions.send(id, 'Delete it')
  asking.finish({ type: 'tool_call', call })
  await settle()
  expect(reader.types().at(-1)).toBe('approval_requested')
  await elsewhere.sessions.decide(id, call.id, 'allow')
  await settle()
  answering.say('It is gone.')
  await settle()
  expect(reader.said()).toBe('It is gone.')
})

test('[X4] readers beside a turn that lost its lease are told of who took over once it is done', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const [lost, heir] = [open({ model }), open()]
  const { id } = await lost.start()
  const writer = lost.hub.open(id)
  const reader = follow(lost, id)
  await settle()
  await heir.sessions.send(id, 'Hello')
  await settle()
  expect(reader.types()).toEqual(['started'])
  writer.close()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started'])
})

test('[X4] the same holds for what was still to be taken in when that turn was opened', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const { through, slowDown, letGo } = slowStore()
  const [heir, lost] = [open({ model }), open({ through })]
  const { id } = await heir.start()
  const reader = follow(lost, id)
  await settle()
  slowDown()
  await heir.sessions.send(id, 'Hello')
  lost.deliver()
  model.finish({ type: 'text', text: 'Yes.' })
  await quiet()
  lost.deliver()
  const writer = lost.hub.open(id)
  letGo()
  await settle()
  expect(reader.types()).toEqual(['started'])
  writer.close()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'turn_completed'])
})

test('[S6] a turn that begins here while an earlier one elsewhere is still read loses nothing of either', async () => {
  const { open, settle } = testCluster()
  const [model, otherModel] = [steered(), steered()]
  const { through, slowDown, letGo } = slowStore()
  const [here, there] = [open({ model }), open({ model: otherModel, through })]
  const { id } = await here.start()
  const reader = follow(there, id)
  await settle()
  slowDown()
  await here.sessions.send(id, 'First')
  there.deliver()
  model.finish({ type: 'text', text: 'One.' })
  await quiet()
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

test('what a turn says stays its own when an earlier one of the session is closed late', async () => {
  const { open } = testCluster()
  const model = steered()
  const here = open({ model })
  const { id } = await here.start()
  const late = here.hub.open(id)
  await here.sessions.send(id, 'Hello')
  model.say('Good day.')
  await quiet()
  late.close()
  model.finish()
  await quiet()
  expect(await here.store.readEvents(id, { after: 2, limit: 9 })).toMatchObject([
    { body: { type: 'agent:token' }, fromSequence: 3, sequenceNumber: 3 },
    { body: { type: 'session:turn_completed' }, sequenceNumber: 4 },
  ])
})

test('where the store cannot be read, readers are told so, and nobody asks without end', async () => {
  const { open, settle } = testCluster()
  const model = steered()
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
  const reader = follow(there, id)
  await settle()
  isDown = true
  const failure = reader.reading.catch((thrown: unknown) => thrown)
  await here.sessions.send(id, 'Hello')
  await settle()
  expect(await failure).toMatchObject({ message: 'the store is away' })
})

test('a flood that a slow store cannot take in is let go, and readers still have all of it', async () => {
  const { open, settle } = testCluster()
  const model = steered()
  const { through, slowDown, letGo } = slowStore()
  const [here, there] = [open({ model }), open({ through })]
  const { id } = await here.start()
  const reader = follow(there, id)
  await settle()
  slowDown()
  await here.sessions.send(id, 'Go on')
  there.deliver()
  model.say('x'.repeat(5_000_000))
  await quiet()
  const late = here.hub.attach(id).restart()
  model.finish()
  await quiet()
  here.relay.tellSaid(id, late)
  there.deliver()
  await quiet()
  letGo()
  await settle()
  expect(reader.types()).toEqual(['started', 'turn_started', 'token', 'turn_completed'])
  expect(reader.said()).toHaveLength(5_000_000)
})
