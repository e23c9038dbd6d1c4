import { ToolName } from '@parley/contracts'
import { expect, test } from 'vitest'
import { OFFLINE_AGENT } from '../agent/offline-agent.ts'
import { modelAgent, readModel, withModel } from './model-agent.ts'

const chat = { reasoning_effort: 'high' } as const

test('[S18] a model alone is an agent that is called like it', () => {
  expect(modelAgent('local/meta/llama3', chat)).toEqual({
    id: 'chat',
    name: 'meta/llama3',
    provider: 'local',
    model: 'meta/llama3',
    system_prompt: '',
    reasoning_effort: 'high',
    tools: ToolName.options,
  })
  expect(modelAgent('local/llama3', { mcp_servers: ['files'] })).toMatchObject({ mcp_servers: ['files'] })
  expect(modelAgent('offline/offline', chat)).toEqual(OFFLINE_AGENT)
})

test('[S2] another model keeps what an agent is, and nothing of what was but a model', () => {
  const agent = { id: 'chat', provider: 'a', model: 'x', system_prompt: 'Be brief.' }
  expect(withModel(agent, 'b/y', chat)).toEqual({ ...agent, provider: 'b', model: 'y' })
  expect(withModel(modelAgent('a/x', {}), 'b/y', chat)).toEqual(modelAgent('b/y', chat))
  expect(withModel(OFFLINE_AGENT, 'b/y', chat)).toEqual(modelAgent('b/y', chat))
  expect(withModel(modelAgent('a/x', chat), 'offline/offline', chat)).toEqual(OFFLINE_AGENT)
})

test.each([
  ['local', '"local" is a provider; which of its models do you mean?'],
  ['llama3', '"llama3" is not the name of a model'],
  ['Local/x', '"Local/x" is not the name of a model'],
  ['local/', '"local/" is not the name of a model'],
])('%s is no name of a model', (given, expected) => {
  expect(() => readModel(given, [{ name: 'local' }])).toThrow(expected)
})
