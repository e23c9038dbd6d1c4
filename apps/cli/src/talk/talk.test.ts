import { PassThrough } from 'node:stream'
import { createEventHub, createSessions, type ModelEvent, noTools } from '@parley/engine'
import {
  answering,
  memorySessionStore,
  type Script,
  scriptedModel,
  testAgent,
  testIds,
  testOwner,
} from '@parley/engine/testing'
import { expect, test } from 'vitest'
import type { Io } from '../io.ts'
import type { Prompt } from '../prompt/prompt.ts'
import { createStyle } from '../render/style.ts'
import { createConversation } from './conversation.ts'
import { talk } from './talk.ts'

interface Talked {
  readonly messages: readonly (string | undefined)[]
  readonly scripts: readonly Script[]
  readonly files?: readonly { path: string; text: string }[]
  readonly interrupting?: boolean
}

async function talked({ messages, scripts, files = [], interrupting = false }: Talked) {
  const store = memorySessionStore()
  const model = scriptedModel(scripts)
  const sessions = createSessions({
    store,
    hub: createEventHub(),
    clock: { now: Date.now },
    ids: testIds(),
    modelOf: () => model,
    toolsOf: () => noTools,
  })
  const conversation = createConversation(sessions, {
    session: () =>
      sessions.start({
        ownerId: testOwner,
        channel: 'text',
        agent: testAgent,
        context: { workingDir: '/', fsScopeTier: 'sandboxed' },
      }),
    after: 0,
  })
  const typed = messages.values()
  const prompt: Prompt = {
    ask: async () => typed.next().value,
    async during(work, interrupt) {
      if (interrupting) interrupt()
      return work
    },
    close: () => undefined,
  }
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const io = { stdout, stderr, stdin: new PassThrough(), environment: {} } as unknown as Io
  const look = { style: createStyle(false), columns: 40, isTerminal: true }
  const code = await talk(conversation, { io, prompt, look, files, screen: stdout })
  return {
    code,
    store,
    asked: model.asked,
    sessionId: conversation.sessionId,
    said: String(stdout.read() ?? ''),
    told: String(stderr.read() ?? ''),
  }
}

test('messages are answered one after the other, and the way back is told', async () => {
  const { code, said, sessionId } = await talked({
    messages: ['Two and two?', 'And one?'],
    scripts: [answering('Four.'), answering('Five.')],
  })
  expect(code).toBe(0)
  expect(said).toBe(`\nFour.\n\n\nFive.\n\nTo go on: parley resume ${sessionId}\n`)
})

test('who says nothing leaves nothing behind', async () => {
  const { said, store } = await talked({ messages: [], scripts: [] })
  expect(said).toBe('')
  expect((await store.list({ limit: 1 })).items).toEqual([])
})

test('files go with the first message only', async () => {
  const { asked } = await talked({
    messages: ['One', 'Two'],
    scripts: [answering('Yes.'), answering('Yes.')],
    files: [{ path: 'notes.md', text: 'Note.' }],
  })
  const texts = asked.at(-1)?.messages.map(({ content }) => content[0])
  expect(texts).toMatchObject([
    { text: 'One\n\n<file path="notes.md">\nNote.\n</file>' },
    { text: 'Yes.' },
    { text: 'Two' },
  ])
})

test('[S2] an answer that is stopped says so, and the talk goes on', async () => {
  const { said, store, sessionId } = await talked({
    messages: ['Count'],
    scripts: [endless],
    interrupting: true,
  })
  expect(said).toMatch(/\[stopped here\]\n\nTo go on/)
  expect(sessionId && (await store.find(sessionId))?.runningTurnId).toBeUndefined()
})

test('a failure is told with the way to try again, and the talk goes on', async () => {
  const { code, said, told } = await talked({
    messages: ['Hello', 'Hello?'],
    scripts: [
      [
        {
          type: 'failure',
          error: { code: 'provider_unavailable', message: 'It is \x1b[31mdown.', retryable: true },
        },
      ],
      answering('Here.'),
    ],
  })
  expect(code).toBe(0)
  expect(told).toContain('parley: It is ␛[31mdown.\n  Your message is kept.')
  expect(said).toContain('Here.')
})

test('a message that is too long is told and not sent; its files wait for the next one', async () => {
  const { told, asked } = await talked({
    messages: ['x'.repeat(1_000_001), 'Short'],
    scripts: [answering('Yes.')],
    files: [{ path: 'notes.md', text: 'Note.' }],
  })
  expect(told).toContain('more than 1,000,000 characters')
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({ text: expect.stringMatching(/^Short\n\n<file/) })
})

async function* endless(): AsyncIterable<ModelEvent> {
  for (let count = 0; ; count += 1) {
    yield { type: 'text', text: `${count} ` }
    await new Promise(setImmediate)
  }
}
