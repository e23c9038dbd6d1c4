import { expect, test } from 'vitest'
import type { CallId, StepId, ToolCall, TurnId } from '@parley/contracts'
import type { ModelEvent } from '../ports/model.ts'
import { type ToolRegistry, noTools } from '../ports/tools.ts'
import {
  type ModelScript,
  createAnswerScript,
  createFakeTools,
  createScriptedModel,
} from '../testing/fakes.ts'
import { testLimits } from '../testing/fixtures.ts'
import { runAgentTurn } from './run-agent-turn.ts'
import {
  type StreamedPart,
  type StreamedTurnEvent,
  type StepRef,
  type TurnOutput,
  createTurn,
} from './turn.ts'

const call: ToolCall = { id: 'call-1' as CallId, name: 'weather', input: { city: 'Oslo' } }
const toolRequest: readonly ModelEvent[] = [
  { type: 'text', text: 'Let me look.' },
  { type: 'tool_call', call },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 5, outputTokens: 4 } },
]
const weatherTools = createFakeTools({ run: async () => ({ kind: 'ok', text: 'sunny' }) })

test('[S3] a plain answer yields tokens, the message and the end', async () => {
  const { outputs } = await runTurn([createAnswerScript('It is noon.')])
  expect(outputs.map(formatOutput)).toEqual([
    'It ',
    'is ',
    'noon.',
    'assistant',
    'session:turn_completed completed',
  ])
})

test('[S5] a call is published before its tool runs, and the model gets its result', async () => {
  const told: string[] = []
  const watching = createFakeTools({ run: async () => (told.push('ran'), { kind: 'ok', text: 'sunny' }) })
  const { outputs, model } = await runTurn([toolRequest, createAnswerScript('Sunny.')], watching, (output) =>
    told.push(formatOutput(output)),
  )
  expect(told).toEqual([
    'Let me look.',
    'assistant',
    'agent:tool_call',
    'agent:tool_decided',
    'ran',
    'tool',
    'agent:tool_result',
    'Sunny.',
    'assistant',
    'session:turn_completed completed',
  ])
  expect(model.asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(outputs.at(-1)).toMatchObject({ usage: { inputTokens: 15, outputTokens: 5 } })
})

test('a call of an unknown tool is an outcome that the model reads', async () => {
  const { outputs } = await runTurn([toolRequest, createAnswerScript('Sorry.')], noTools)
  const result = outputs.find(({ type }) => type === 'agent:tool_result')
  expect(result).toMatchObject({ outcome: { kind: 'failed', code: 'tool_unavailable' } })
})

test('[S11] text from before a failure is kept and marked', async () => {
  const error = { code: 'provider_unavailable', message: 'gone', retryable: true } as const
  const { outputs } = await runTurn([
    [
      { type: 'text', text: 'It is' },
      { type: 'failure', error },
    ],
  ])
  expect(outputs.at(-2)).toMatchObject({ message: { cutShort: 'failed', content: [{ text: 'It is' }] } })
  expect(outputs.at(-1)).toMatchObject({ stopReason: 'error', error })
})

test('a model that says nothing at all is a failure, not a silent end', async () => {
  const { outputs } = await runTurn([[]])
  expect(outputs).toHaveLength(1)
  expect(outputs[0]).toMatchObject({ stopReason: 'error', error: { code: 'provider_unavailable' } })
})

test('[S2] a cancelled turn keeps its text, drops calls, and is marked as cancelled', async () => {
  const abort = new AbortController()
  const { outputs } = await runTurn(
    [toolRequest],
    weatherTools,
    (output) => output.type === 'agent:token' && abort.abort(),
    abort,
  )
  expect(outputs.map(formatOutput)).toEqual([
    'Let me look.',
    'assistant',
    'session:cancelled',
    'session:turn_completed cancelled',
  ])
  expect(outputs[1]).toMatchObject({ message: { cutShort: 'cancelled', content: [{ type: 'text' }] } })
})

test('[S7] a call that reuses an earlier id is a separate call', async () => {
  const { outputs, model } = await runTurn([toolRequest, toolRequest, createAnswerScript('Sunny.')])
  expect(model.asked).toHaveLength(3)
  expect(outputs.filter(({ type }) => type === 'agent:tool_result')).toHaveLength(2)
  expect(outputs.at(-1)).toMatchObject({ stopReason: 'completed' })
})

test('[S7] reasoning alone is not an answer', async () => {
  const { outputs } = await runTurn([[{ type: 'reasoning', text: 'Hm.' }]])
  expect(outputs.at(-1)).toMatchObject({ stopReason: 'error', error: { code: 'provider_unavailable' } })
})

test('[S7] tool rounds end at the cap with an error', async () => {
  const scripts = Array.from({ length: 8 }, (_, round) =>
    toolRequest.map((event) =>
      event.type === 'tool_call' ? { ...event, call: { ...call, id: `c${round}` as CallId } } : event,
    ),
  )
  const { outputs, model } = await runTurn(scripts, weatherTools)
  expect(model.asked).toHaveLength(8)
  expect(outputs.at(-1)).toMatchObject({ stopReason: 'error', error: { code: 'turn_limit' } })
})

type RecordedOutput = TurnOutput | StreamedTurnEvent

async function runTurn(
  scripts: readonly ModelScript[],
  tools: ToolRegistry = weatherTools,
  onOutput: (output: RecordedOutput) => unknown = () => {},
  abort = new AbortController(),
) {
  const model = createScriptedModel(scripts)
  const past = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'What time is it?' }] }]
  const opening = createTurn({ id: 'trn_1' as TurnId, number: 1, system: '', past })
  const limits = { ...testLimits, maxToolTurns: 8 }
  const outputs: RecordedOutput[] = []
  const heard = (output: RecordedOutput) => {
    outputs.push(output)
    onOutput(output)
    return undefined
  }
  const host = {
    models: [model],
    tools,
    limits,
    costs: () => ({}),
    grants: () => [],
    toMediaHandle: () => `media://sha256-${'0'.repeat(64)}`,
    maxTokens: 100,
    signal: abort.signal,
    nextStepId: () => 'stp_1' as StepId,
    streamText(step: StepRef, part: StreamedPart, text: string) {
      part.text += text
      return part.type === 'text'
        ? heard({ ...step, type: 'agent:token', token: text })
        : heard({ ...step, type: 'agent:reasoning', text })
    },
  }
  for await (const output of runAgentTurn(opening, host)) if (output.type !== 'turn:cost') heard(output)
  return { outputs, model }
}

function formatOutput(output: RecordedOutput): string {
  if (output.type === 'agent:token') return output.token
  if (output.type === 'turn:message') return output.message.role
  if (output.type === 'session:turn_completed') return `${output.type} ${output.stopReason}`
  return output.type
}
