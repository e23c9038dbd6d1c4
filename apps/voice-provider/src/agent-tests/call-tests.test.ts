import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { Json } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { toChatHistory, callTools, END_CALL, markAsOffline, createTestedAgent } from './agent-test.fixture.ts'

/** A webhook tool whose server must never get a request. */
const TOOL: ElevenLabs.ToolRequestModelToolConfig.Webhook = {
  type: 'webhook',
  name: 'find_order',
  description: 'Finds an order',
  apiSchema: {
    url: 'http://127.0.0.1:9/orders',
    method: 'GET',
    queryParamsSchema: {
      properties: { id: { type: 'string', description: 'Its number' } },
      required: ['id'],
    },
  },
}

const CALLS: Readonly<Record<string, readonly (readonly [string, Json])[]>> = {
  'the tool': [['find_order', { id: '42' }]],
  'another tool': [['end_call', {}]],
  'no tool': [],
  both: [
    ['end_call', {}],
    ['find_order', { id: '42' }],
  ],
}

const exactly = (expectedValue: string): ElevenLabs.UnitTestToolCallParameter[] => [
  { path: 'id', eval: { type: 'exact', expectedValue } },
]

test.each([
  ['the tool', 'as expected', {}, 'passed'],
  ['the tool', 'with the expected parameters', { parameters: exactly('42') }, 'passed'],
  ['the tool', 'with other parameters', { parameters: exactly('43') }, 'failed'],
  ['the tool', 'against the test', { verifyAbsence: true }, 'failed'],
  ['another tool', 'instead', {}, 'failed'],
  ['another tool', 'as expected', { verifyAbsence: true }, 'passed'],
  ['no tool', 'against the test', {}, 'failed'],
  ['no tool', 'as expected', { verifyAbsence: true }, 'passed'],
  ['both', 'instead of one', {}, 'failed'],
  ['both', 'and any may match', { anyMatches: true }, 'passed'],
])('[P14] %s is called %s', async (called, _, { anyMatches, ...given }: CallTestOptions, status) => {
  const script = called === 'no tool' ? createAnswerScript('No.') : callTools(...(CALLS[called] ?? []))
  const { run, conversationalAi, agentId } = await createTestedAgent(
    markAsOffline(createScriptedModel([script])),
  )
  const tool = await conversationalAi.tools.create({ toolConfig: TOOL })
  await conversationalAi.agents.update(agentId, {
    conversationConfig: { agent: { prompt: { toolIds: [tool.id], builtInTools: { endCall: END_CALL } } } },
  })
  const [outcome] = await run([
    {
      type: 'tool',
      name: 'Calls it',
      chatHistory: toChatHistory('Where is order 42?'),
      toolCallParameters: { referencedTool: { id: tool.id, type: 'webhook' }, ...given },
      ...(anyMatches && { checkAnyToolMatches: true }),
    },
  ])
  expect(outcome).toMatchObject({ status })
  expect(outcome?.agentResponses?.[0]?.toolCalls ?? []).toHaveLength(CALLS[called]?.length ?? 0)
})

test('[P14] a system tool is identified by its name; the offline model ends a call', async () => {
  const { run } = await createTestedAgent(undefined, {
    agent: { prompt: { builtInTools: { endCall: END_CALL } } },
  })
  const toolCallParameters = { referencedTool: { id: 'end_call', type: 'system' } } as const
  const hangsUp = { type: 'tool', name: 'Hangs up', toolCallParameters } as const
  expect(
    await run([
      { ...hangsUp, chatHistory: toChatHistory('Goodbye!') },
      { ...hangsUp, chatHistory: toChatHistory('Hello!') },
    ]),
  ).toMatchObject([{ status: 'passed' }, { status: 'failed' }])
})

interface CallTestOptions {
  readonly parameters?: ElevenLabs.UnitTestToolCallParameter[]
  readonly verifyAbsence?: boolean
  readonly anyMatches?: boolean
}
