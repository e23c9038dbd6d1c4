import { ElevenLabs, type ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { expect, test } from 'vitest'
import { API_KEY, startTestVoice } from '../testing/test-voice.ts'
import { getVendorError, createVendorClient } from '../testing/vendor-client.ts'

const PLAIN = { conversationConfig: { agent: { prompt: { prompt: 'You are kind.' } } } }

test('[X2] the vendor’s client creates, reads, changes, lists and deletes agents', async () => {
  const { conversationalAi } = createVendorClient(await startTestVoice())
  const { agents } = conversationalAi
  const { agentId } = await agents.create({
    name: 'Front desk',
    tags: ['desk'],
    conversationConfig: {
      agent: { firstMessage: 'Hello {{name}}', prompt: { prompt: 'You are kind.', llm: 'gpt-4o' } },
      tts: { voiceId: 'slt', speed: 1.1 },
    },
    platformSettings: { auth: { enableAuth: true } },
  })
  const made = await agents.get(agentId)
  expect(made).toMatchObject({
    agentId,
    name: 'Front desk',
    tags: ['desk'],
    conversationConfig: {
      agent: { firstMessage: 'Hello {{name}}', language: 'en', prompt: { llm: 'gpt-4o', maxTokens: -1 } },
      tts: { voiceId: 'slt', agentOutputAudioFormat: 'pcm_16000' },
    },
    platformSettings: { auth: { enableAuth: true } },
    versionId: expect.stringMatching(/^agtvrsn_/),
    branchId: expect.stringMatching(/^agtbrch_/),
  })

  const changed = await agents.update(agentId, {
    conversationConfig: { agent: { prompt: { prompt: 'You are brief.' } } },
  })
  expect(changed.conversationConfig).toMatchObject({
    agent: { firstMessage: 'Hello {{name}}', prompt: { prompt: 'You are brief.', llm: 'gpt-4o' } },
    tts: { speed: 1.1 },
  })
  expect(changed.versionId).not.toBe(made.versionId)
  const before = await agents.get(agentId, { versionId: made.versionId ?? '' })
  expect(before.conversationConfig.agent?.prompt?.prompt).toBe('You are kind.')

  const listed = await agents.list({ search: 'front' })
  expect(listed).toMatchObject({ agents: [{ agentId, voiceId: 'slt', tags: ['desk'] }], hasMore: false })
  await agents.delete(agentId)
  expect(await getVendorError(agents.get(agentId))).toMatchObject({
    statusCode: 404,
    body: { detail: { status: 'agent_not_found' } },
  })
})

test('[X2] pages list each agent once', async () => {
  const { agents } = createVendorClient(await startTestVoice()).conversationalAi
  for (const name of ['A', 'B', 'C']) await agents.create({ name, ...PLAIN })
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = await agents.list({
      pageSize: 2,
      sortBy: 'name',
      sortDirection: 'asc',
      ...(cursor && { cursor }),
    })
    names.push(...page.agents.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor)
  expect(names).toEqual(['A', 'B', 'C'])
  expect(await getVendorError(agents.list({ cursor: 'nonsense' }))).toMatchObject({ statusCode: 400 })
})

test('[X2] returns duplicate, link, widget and summaries', async () => {
  const { agents } = createVendorClient(await startTestVoice()).conversationalAi
  const { agentId } = await agents.create({ name: 'Ada', ...PLAIN })
  const copy = await agents.duplicate(agentId, { name: 'Ada 2' })
  expect(await agents.get(copy.agentId)).toMatchObject({ name: 'Ada 2' })
  expect(await agents.link.get(agentId)).toMatchObject({ agentId })
  expect(await agents.widget.get(agentId)).toMatchObject({ agentId, widgetConfig: { language: 'en' } })
  expect(await agents.summaries.get({ agentIds: [agentId, 'agent_none'] })).toMatchObject({
    [agentId]: { status: 'success', data: { name: 'Ada' } },
    agent_none: { status: 'failure', errorCode: 404 },
  })
})

test('[X2] a branch has its own versions', async () => {
  const { agents } = createVendorClient(await startTestVoice()).conversationalAi
  const { agentId } = await agents.create({ name: 'Ada', ...PLAIN })
  const { versionId } = await agents.get(agentId)
  const { createdBranchId } = await agents.branches.create(agentId, {
    parentVersionId: versionId ?? '',
    name: 'TestConversation',
    description: 'To try',
  })
  await agents.update(agentId, {
    branchId: createdBranchId,
    conversationConfig: { agent: { prompt: { prompt: 'AgentChangeResult.' } } },
  })
  const inBranch = await agents.get(agentId, { branchId: createdBranchId })
  expect(inBranch.conversationConfig.agent?.prompt?.prompt).toBe('AgentChangeResult.')
  expect((await agents.get(agentId)).conversationConfig.agent?.prompt?.prompt).toBe('You are kind.')
  const { results } = await agents.branches.list(agentId)
  expect(results).toMatchObject([{ name: 'Main' }, { id: createdBranchId, name: 'TestConversation' }])
  const branch = await agents.branches.get(agentId, createdBranchId)
  expect(branch.mostRecentVersions).toMatchObject([{ seqNoInBranch: 2 }, { seqNoInBranch: 1 }])
})

test.each([
  [
    'an unknown model',
    { agent: { prompt: { llm: 'no-such-model' } } },
    ['agent', 'prompt', 'llm'],
    'invalid_value',
  ],
  [
    'an unknown format',
    { tts: { agent_output_audio_format: 'mp3' } },
    ['tts', 'agent_output_audio_format'],
    'invalid_value',
  ],
  [
    'a custom LLM without an address',
    { agent: { prompt: { llm: 'custom-llm', custom_llm: { url: 'nowhere' } } } },
    ['agent', 'prompt', 'custom_llm', 'url'],
    'value_error',
  ],
  [
    'a document that is not there',
    { agent: { prompt: { knowledge_base: [{ type: 'file', name: 'notes', id: 'doc_1' }] } } },
    ['agent', 'prompt', 'knowledge_base', 0],
    'value_error',
  ],
  ['text instead of a number', { tts: { speed: 'fast' } }, ['tts', 'speed'], 'invalid_type'],
  ['a speed out of range', { tts: { speed: 3 } }, ['tts', 'speed'], 'too_big'],
  [
    'placeholders in camelCase',
    { agent: { dynamic_variables: { dynamicVariablePlaceholders: { a: 'b' } } } },
    ['agent', 'dynamic_variables', 'dynamicVariablePlaceholders'],
    'invalid_type',
  ],
])('[X2] %s is rejected with its location', async (_, config, place, type) => {
  const { url } = await startTestVoice()
  const response = await fetch(`${url}/v1/convai/agents/create`, {
    method: 'POST',
    headers: { 'xi-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_config: config }),
  })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({
    detail: [{ loc: ['body', 'conversation_config', ...place], type }],
  })
})

test('[X2] creating or changing an agent with an unknown tool is rejected', async () => {
  const { agents } = createVendorClient(await startTestVoice()).conversationalAi
  const { agentId } = await agents.create({ name: 'Ada', ...PLAIN })
  const conversationConfig = { agent: { prompt: { toolIds: ['tool_none'] } } }
  for (const attempt of [
    () => agents.create({ conversationConfig }),
    () => agents.update(agentId, { conversationConfig }),
  ])
    expect(await getVendorError(attempt())).toMatchObject({
      statusCode: 404,
      body: { detail: { status: 'tool_not_found', param: 'tool_ids' } },
    })
})

test('[X2] the vendor’s client maps refusals to its errors', async () => {
  const voice = await startTestVoice()
  const { agents } = createVendorClient(voice).conversationalAi
  const invalid = agents.create({
    conversationConfig: { agent: { dynamicVariables: { dynamicVariablePlaceholders: { name: 'Ada' } } } },
  })
  const failure = await invalid.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ElevenLabs.UnprocessableEntityError)
  expect(JSON.stringify((failure as ElevenLabsError).body)).toContain('dynamic_variable_placeholders')
  const stranger = createVendorClient(voice, 'sk_made_up_and_wrong').conversationalAi
  expect(await getVendorError(stranger.agents.list())).toMatchObject({
    statusCode: 401,
    body: { detail: { status: 'invalid_api_key', message: 'Invalid API key' } },
  })
  const response = await fetch(`${voice.url}/v1/convai/agents`)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ detail: { status: 'needs_authorization' } })
  expect(response.headers.get('request-id')).toMatch(/^req_/)
})
