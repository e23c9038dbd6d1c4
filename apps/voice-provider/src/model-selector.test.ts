import { expect, test } from 'vitest'
import type { AgentDocument } from './agents/agent-document.ts'
import { ConversationConfig } from './agents/conversation-config.ts'
import { PlatformSettings } from './agents/platform-settings.ts'
import { createModelSelector } from './model-selector.ts'

const createAgent = (prompt: object): AgentDocument => ({
  agentId: 'agent_1',
  branchId: 'agtbrch_1',
  versionId: 'agtvrsn_1',
  name: 'Ada',
  tags: [],
  conversation_config: ConversationConfig.parse({ agent: { prompt } }),
  platform_settings: PlatformSettings.parse({}),
  createdAtUnixSecs: 0,
  updatedAtUnixSecs: 0,
})

const providers = [
  { name: 'claude', kind: 'anthropic', apiKey: 'made-up-key' },
  { name: 'gpt', kind: 'openai' },
] as const

test.each([
  [
    'a model whose key is here',
    { llm: 'claude-sonnet-4-5@20250929' },
    'claude',
    'claude-sonnet-4-5-20250929',
  ],
  ['a model without a configured key', { llm: 'gpt-4o' }, 'offline', 'offline'],
  ['a model of an unsupported provider', { llm: 'gemini-2.5-flash' }, 'offline', 'offline'],
  [
    'a server of the agent’s own',
    { llm: 'custom-llm', custom_llm: { url: 'http://127.0.0.1:9/v1', model_id: 'mine' } },
    'custom',
    'mine',
  ],
  [
    'a server without an address',
    { llm: 'custom-llm', custom_llm: { url: 'nowhere' } },
    'offline',
    'offline',
  ],
])('[X2] %s', async (_, prompt, provider, modelId) => {
  const find = createModelSelector({ providers, readSecret: async () => undefined })
  expect(await find(createAgent(prompt))).toMatchObject({ provider, modelId })
})
