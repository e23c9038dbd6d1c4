import { expect, test } from 'vitest'
import type { Agent } from '@parley/contracts'
import type { LlmMessage, ModelEvent } from '../ports/model.ts'
import {
  type ModelScript,
  createAnswerScript,
  createFakeTools,
  createScriptedModel,
} from '../testing/fakes.ts'
import { testAgent } from '../testing/fixtures.ts'
import { createTestSessions } from '../testing/test-sessions.ts'

const inputAgent: Agent = {
  ...testAgent,
  system_prompt: 'Answer for {{inputs.city}}, in {{ inputs.days }} days.',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
  },
}

test.each([
  ['no JSON', 'Oslo', /it must be an object, not text/],
  ['a missing property', '{"days":2}', /city: is missing/],
  ['a wrong type', '{"city":7}', /city: must be text, not a number/],
  ['an unknown property', '{"city":"Oslo","cuntry":"Norway"}', /: it has an unknown key "cuntry"/],
])(
  '[S1] a message with %s is refused by input_schema, and nothing is stored or sent',
  async (_, text, why) => {
    const model = createScriptedModel([])
    const { sessions, store, start } = createTestSessions(model)
    const { id } = await start({ agent: inputAgent })
    await expect(sessions.send(id, text)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringMatching(why),
    })
    expect(model.asked).toHaveLength(0)
    expect((await store.find(id))?.session.messageCount).toBe(0)
  },
)

test('[S1] a first message that input_schema refuses leaves no session', async () => {
  const { store, start } = createTestSessions(createScriptedModel([]))
  await expect(start({ agent: inputAgent, firstMessage: 'Oslo' })).rejects.toMatchObject({
    code: 'validation',
  })
  expect((await store.list({ limit: 9 })).items).toEqual([])
  const { id } = await start({ agent: inputAgent, firstMessage: '{"city":"Oslo"}' })
  expect((await store.find(id))?.session.messageCount).toBe(0)
})

test('[S1] a message that fits input_schema is sent, and fills {{inputs.…}} in the prompt', async () => {
  const model = createScriptedModel([createAnswerScript('Rain.'), createAnswerScript('Sun.')])
  const { sessions, start } = createTestSessions(model)
  const { id } = await start({ agent: inputAgent })
  expect(await (await sessions.send(id, '{"city":"Oslo","days":2}')).ended).toBe('completed')
  expect(await (await sessions.send(id, '{"city":"Rome"}')).ended).toBe('completed')
  expect(model.asked.map(({ system }) => system)).toEqual([
    'Answer for Oslo, in 2 days.',
    'Answer for Rome, in  days.',
  ])
})

test.each<[keyof Agent, Partial<Agent>, RegExp]>([
  ['input_schema', { input_schema: { type: 'objct' } }, /is not a JSON Schema .*objct/],
  ['output_schema', { output_schema: { $ref: 'https://example.org/x' } }, /External \$ref/],
])('[S1] an invalid %s is refused at the start', async (key, given, why) => {
  const { start } = createTestSessions(createScriptedModel([]))
  await expect(start({ agent: { ...testAgent, ...given } })).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringMatching(why),
    detail: { path: `agent.${key}` },
  })
})

test('[S1] a prompt that names an input missing from the schema is refused at the start', async () => {
  const { start } = createTestSessions(createScriptedModel([]))
  const agent = { ...inputAgent, system_prompt: 'Answer for {{inputs.ctiy}}.' }
  await expect(start({ agent })).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringContaining('did you mean {{inputs.city}}?'),
    detail: { path: 'agent.system_prompt' },
  })
})

const outputAgent: Agent = {
  ...testAgent,
  output_schema: {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  },
}

async function askOutputAgent(scripts: readonly ModelScript[]) {
  const model = createScriptedModel(scripts)
  const tools = createFakeTools({ run: async () => ({ kind: 'ok', text: 'seen' }) })
  const { sessions, store, start, eventsUntil } = createTestSessions(model, { tools })
  const { id } = await start({ agent: outputAgent })
  const ending = await (await sessions.send(id, 'Hello')).ended
  const events = await eventsUntil(id, 1, ({ type }) => type === 'session:turn_completed')
  return { ending, model, events, messages: await store.readTail(id, 9) }
}

const createAnswer = (text: string): readonly ModelEvent[] => [
  { type: 'text', text },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 10, outputTokens: 2 } },
]
const joinText = ({ content }: LlmMessage) =>
  content.map((part) => ('text' in part ? part.text : '')).join('')

test('[S1] an answer that fits output_schema is stored, and the model gets the schema', async () => {
  const { ending, model, messages } = await askOutputAgent([createAnswer('{"answer":"Yes."}')])
  expect(ending).toBe('completed')
  expect(model.asked[0]?.outputSchema).toEqual(outputAgent.output_schema)
  expect(model.asked[0]?.system).toContain(JSON.stringify(outputAgent.output_schema))
  expect(messages.map(joinText)).toEqual(['Hello', '{"answer":"Yes."}'])
})

test.each(['Yes.', '{"answer":7}', '```json\n{"answer":"Yes."}\n```'])(
  '[S1] after %j the model is asked once more, and the first answer is discarded',
  async (bad) => {
    const { ending, model, events, messages } = await askOutputAgent([
      createAnswer(bad),
      createAnswer('{"answer":"Yes."}'),
    ])
    expect(ending).toBe('completed')
    expect(model.asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(model.asked[1]?.messages.map(joinText)[2]).toMatch(/does not fit the JSON Schema/)
    expect(events.map(({ type }) => type)).toEqual([
      'session:turn_started',
      'agent:step_discarded',
      'agent:token',
      'session:turn_completed',
    ])
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 4 } })
    expect(messages.map(joinText)).toEqual(['Hello', '{"answer":"Yes."}'])
  },
)

test('[S1] a second answer that does not fit ends the turn with the code validation', async () => {
  const { ending, model, events, messages } = await askOutputAgent([
    createAnswer('Yes.'),
    createAnswer('{"answr":"Yes."}'),
  ])
  expect(ending).toBe('error')
  expect(model.asked).toHaveLength(2)
  expect(events.at(-1)).toMatchObject({
    error: { code: 'validation', message: expect.stringMatching(/output_schema.*answer: is missing/) },
  })
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', cutShort: 'failed' })
})

test('[S1] only the final answer must fit, not a step that calls tools', async () => {
  const call = { id: 'call-1' as never, name: 'look', input: {} }
  const { ending } = await askOutputAgent([
    [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_call', call },
    ],
    createAnswer('{"answer":"Yes."}'),
  ])
  expect(ending).toBe('completed')
})

test.each<[string, Agent['memory'], readonly number[]]>([
  ['all of it where the agent does not say', undefined, [1, 3, 5, 7]],
  ['nothing', { type: 'none' }, [1, 1, 1, 1]],
  ['the last turn', { type: 'window', window_size: 1 }, [1, 3, 3, 3]],
  ['the last two turns', { type: 'window', window_size: 2 }, [1, 3, 5, 5]],
])('[S1] the memory setting decides how many earlier turns the model gets: %s', async (_, memory, counts) => {
  const model = createScriptedModel(Array.from({ length: 4 }, () => createAnswerScript('Yes.')))
  const { sessions, store, start } = createTestSessions(model)
  const { id } = await start({ agent: { ...testAgent, ...(memory && { memory }) } })
  for (const text of ['1', '2', '3', '4']) await (await sessions.send(id, text)).ended
  expect(model.asked.map(({ messages }) => messages.length)).toEqual(counts)
  expect(model.asked.map(({ messages }) => messages.at(-1)).map((last) => last && joinText(last))).toEqual([
    '1',
    '2',
    '3',
    '4',
  ])
  expect((await store.find(id))?.session.messageCount).toBe(8)
})

test('[S1] with the memory summary, a summary replaces the turns beyond max_messages', async () => {
  const model = createScriptedModel(Array.from({ length: 9 }, () => createAnswerScript('They counted.')))
  const { sessions, store, start } = createTestSessions(model, {
    limits: { maxMessages: 8, autoCompact: false },
  })
  const { id } = await start({ agent: { ...testAgent, memory: { type: 'summary' } } })
  for (const text of ['1', '2', '3', '4', '5']) await (await sessions.send(id, text)).ended
  const marker = (await store.readTail(id, 99)).find((message) => message.marker)
  expect(marker?.marker).toMatchObject({ kind: 'compacted', uptoSequence: 4 })
  expect(model.asked.at(-1)?.system).toContain('They counted.')
})
