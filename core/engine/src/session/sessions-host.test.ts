import { expect, test } from 'vitest'
import type { Agent, SessionId } from '@parley/contracts'
import type { ModelPort } from '../ports/model.ts'
import { noTools } from '../ports/tools.ts'
import { createTestSession, testAgent } from '../testing/fixtures.ts'
import { createTurnHost } from './agent-runner.ts'
import {
  DEFAULT_LIMITS,
  type SessionsHost,
  findAvailableModels,
  requireAllModels,
  requireModel,
  resolveLimits,
} from './sessions-host.ts'

const missingModels = new Set(['gone'])
const host = {
  getModel: ({ model }: Agent) => {
    if (missingModels.has(model)) throw new Error(`${model} is not available`)
    return { modelId: model } as ModelPort
  },
  getTools: () => noTools,
  store: {},
  limits: { maxMessages: 7 },
} as unknown as SessionsHost

const createHost = (agentSnapshot: Agent) => {
  const [session] = createTestSession('ses_1' as SessionId, '2026-03-04T05:06:07.000Z', { agentSnapshot })
  return createTurnHost(session, host)
}

const createChain = (...models: readonly string[]): Agent => ({
  ...testAgent,
  fallback_chain: models.map((model) => ({ provider: 'test', model })),
})
const listIds = (models: readonly ModelPort[]) => models.map(({ modelId }) => modelId)

test('[S11] the agent’s own model is asked first, then its fallbacks in their order', () => {
  expect(listIds(findAvailableModels(testAgent, host))).toEqual(['scripted'])
  expect(listIds(findAvailableModels(createChain('second', 'third'), host))).toEqual([
    'scripted',
    'second',
    'third',
  ])
  expect(listIds(findAvailableModels(createChain('second', 'gone', 'third'), host))).toEqual([
    'scripted',
    'second',
    'third',
  ])
})

test('[S11] a session is not started with a missing fallback, nor continued without its own model', () => {
  expect(() => requireAllModels(createChain('second'), host)).not.toThrow()
  expect(() => requireAllModels(createChain('gone'), host)).toThrow('gone is not available')
  expect(() => requireModel(createChain('gone'), host)).not.toThrow()
  expect(() => requireModel({ ...testAgent, model: 'gone' }, host)).toThrow('gone is not available')
  expect(() => findAvailableModels({ ...testAgent, model: 'gone' }, host)).toThrow('gone is not available')
})

test.each<[string, object, object]>([
  ['nothing', {}, {}],
  ['no turn', { maxTurns: 0, maxToolTurns: 0 }, {}],
  ['other numbers', { maxTurns: 3, maxToolTurns: 4 }, { maxTurns: 3, maxToolTurns: 4 }],
  ['another threshold', { compactThreshold: 0.5 }, { compactThreshold: 0.5 }],
])('[S7] limits that say %s', (_, limits, expected) => {
  expect(resolveLimits({ limits })).toEqual({ ...DEFAULT_LIMITS, ...expected })
})

test('[S7] the default limits', () => {
  expect(resolveLimits({})).toEqual({
    maxTurns: 50,
    maxToolTurns: 100,
    maxMessages: 200,
    autoCompact: true,
    compactThreshold: 0.8,
    onExceed: 'fail',
  })
})

test('[S1] a turn runs with exactly the settings of its agent', async () => {
  const plain = await createHost(testAgent)
  expect(plain).toMatchObject({ maxTokens: 4_096, limits: { ...DEFAULT_LIMITS, maxMessages: 7 } })
  for (const name of ['temperature', 'reasoningEffort', 'outputSchema'])
    expect(plain).not.toHaveProperty(name)
  const agent: Agent = {
    ...testAgent,
    max_tokens: 9,
    temperature: 0,
    reasoning_effort: 'low',
    output_schema: { type: 'object' },
  }
  expect(await createHost(agent)).toMatchObject({
    maxTokens: 9,
    temperature: 0,
    reasoningEffort: 'low',
    outputSchema: { type: 'object' },
  })
})

test('[S17] an agent with summary memory gets summaries, for any limits', async () => {
  const { limits } = await createTurnHost(
    createTestSession('ses_1' as SessionId, '', {
      agentSnapshot: { ...testAgent, memory: { type: 'summary' } },
    })[0],
    { ...host, limits: { autoCompact: false } },
  )
  expect(limits).toMatchObject({ autoCompact: true, summarisesOldest: true })
})
