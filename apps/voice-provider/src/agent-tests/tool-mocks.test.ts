import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { toChatHistory, callTools, markAsOffline, createTestedAgent } from './agent-test.fixture.ts'

type Mocks = ElevenLabs.ToolResponseMockConfigInput[]
type Simulation = Partial<ElevenLabs.conversationalAi.TestsCreateRequestBody.Simulation>

/** A tool server that counts its requests. */
async function startRealServer() {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.end('{"text":"The real one."}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests }
}

const FOR_42: Mocks = [
  {
    parameterConditions: [{ path: 'id', eval: { type: 'exact', expectedValue: '42' } }],
    mockResult: 'Of 42.',
  },
  { mockResult: 'Of any other.' },
]

/** Runs a simulation. Returns the tool's answer and the number of requests to its server. */
async function callAndGetAnswer(id: string, responseMocks: Mocks, given: (toolId: string) => Simulation) {
  const server = await startRealServer()
  const model = markAsOffline(
    createScriptedModel([callTools(['find_order', { id }]), createAnswerScript('Done.')]),
  )
  const { run, conversationalAi, agentId } = await createTestedAgent(model)
  const tool = await conversationalAi.tools.create({
    toolConfig: {
      type: 'webhook',
      name: 'find_order',
      description: 'Finds an order',
      apiSchema: {
        url: server.url,
        queryParamsSchema: { properties: { id: { type: 'string', description: 'Its number' } } },
      },
    },
    responseMocks,
  })
  await conversationalAi.agents.update(agentId, {
    conversationConfig: { agent: { prompt: { toolIds: [tool.id] } } },
  })
  const [outcome] = await run([
    { type: 'simulation', name: 'Looks', simulationScenario: '"Where is it?"', ...given(tool.id) },
  ])
  const [result] = (outcome?.agentResponses ?? []).flatMap(({ toolResults = [] }) => toolResults)
  return { result, requests: server.requests() }
}

test.each<[string, string, Mocks, (toolId: string) => Simulation, string, boolean, number]>([
  ['the mock with matching conditions answers', '42', FOR_42, () => ({}), 'Of 42.', false, 0],
  ['the next mock answers otherwise', '43', FOR_42, () => ({}), 'Of any other.', false, 0],
  ['a mock may be an error', '42', [{ mockResult: 'Down.', isError: true }], () => ({}), 'Down.', true, 0],
  ['without a mock the tool fails without a request', '42', [], () => ({}), 'No mock of the tool', true, 0],
  [
    'the test’s own mocks come first',
    '42',
    FOR_42,
    (id) => ({ toolMockOverrides: { [id]: [{ mockResult: 'Of the test.' }] } }),
    'Of the test.',
    false,
    0,
  ],
  [
    'the server is asked where nothing is to be mocked',
    '42',
    FOR_42,
    () => ({ toolMockConfig: { mockingStrategy: 'none' } }),
    'The real one.',
    false,
    1,
  ],
  [
    'unselected tools call the server',
    '42',
    FOR_42,
    () => ({ toolMockConfig: { mockingStrategy: 'selected', mockedToolIds: ['tool_other'] } }),
    'The real one.',
    false,
    1,
  ],
  [
    'selected tools are mocked',
    '42',
    FOR_42,
    (id) => ({ toolMockConfig: { mockingStrategy: 'selected', mockedToolIds: [id] } }),
    'Of 42.',
    false,
    0,
  ],
  [
    'the server is asked where no mock fits, if the test says so',
    '42',
    [],
    () => ({ toolMockConfig: { fallbackStrategy: 'call_real_tool' } }),
    'The real one.',
    false,
    1,
  ],
])('[P14] %s', async (_, id, mocks, given, text, isError, requests) => {
  const answered = await callAndGetAnswer(id, mocks, given)
  expect(answered).toMatchObject({ result: { toolName: 'find_order', isError }, requests })
  expect(answered.result).toMatchObject({ resultValue: expect.stringContaining(text) })
})

test('[P14] a test of an answer mocks its tools too', async () => {
  const model = markAsOffline(
    createScriptedModel([callTools(['find_order', {}]), createAnswerScript('It is on its way.')]),
  )
  const { run, conversationalAi, agentId } = await createTestedAgent(model)
  const tool = await conversationalAi.tools.create({
    toolConfig: {
      type: 'webhook',
      name: 'find_order',
      description: 'Finds an order',
      apiSchema: { url: 'http://127.0.0.1:9/' },
      assignments: [{ dynamicVariable: 'place', valuePath: 'place' }],
    },
    responseMocks: [{ mockResult: '{"place":"on its way"}' }],
  })
  const prompt = { toolIds: [tool.id], prompt: 'It is {{place}}.' }
  await conversationalAi.agents.update(agentId, { conversationConfig: { agent: { prompt } } })
  const examples = { successExamples: [], failureExamples: [] }
  expect(
    await run([
      {
        type: 'llm',
        name: 'Tells',
        chatHistory: toChatHistory('Where is it?'),
        successCondition: 'Says "on its way".',
        ...examples,
      },
    ]),
  ).toMatchObject([{ status: 'passed' }])
  expect(JSON.stringify(model.asked[1]?.messages)).toContain('on its way')
})
