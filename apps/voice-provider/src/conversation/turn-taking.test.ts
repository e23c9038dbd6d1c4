import type { CallId, Json } from '@parley/contracts'
import type { ModelEvent } from '@parley/engine'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { ToolConfig } from '../agents/tool-document.ts'
import {
  connectRawClient,
  type ReceivedFrame,
  OPENING_FRAME,
  isOfType,
  createScriptedSpeech,
  createSoundFrames,
  startConversations,
} from './conversation-server.fixture.ts'

const TEXT = { conversation: { text_only: true } }
const callTool = (name: string, input: Json, text = ''): readonly ModelEvent[] => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  { type: 'tool_call', call: { id: `call_${name}` as CallId, name, input } },
  { type: 'finish', reason: 'completed' },
]
const END_CALL = {
  built_in_tools: { end_call: { name: 'end_call', params: { system_tool_type: 'end_call' } } },
}
const getText = (frame: ReceivedFrame) => String(frame['agent_response_event']?.['agent_response'])

test('[X2] speaking interrupts an answer, and the unheard part leaves the history', async () => {
  const long = 'One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen.'
  const model = createScriptedModel([createAnswerScript(long), createAnswerScript('Go on.')])
  const speech = createScriptedSpeech(['what is it', 'stop'], 40)
  const server = await startConversations({ model, speech })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen(isOfType('audio'))
  server.pass(900)
  for (const frame of createSoundFrames()) client.send(frame)
  const interruption = await client.seen(isOfType('interruption'))
  const correction = (await client.seen(isOfType('agent_response_correction')))[
    'agent_response_correction_event'
  ]
  const heard = String(correction?.['corrected_agent_response'])
  expect(correction?.['original_agent_response']).toBe(long)
  expect(long.startsWith(heard)).toBe(true)
  expect(heard).toMatch(/^One two/)
  expect(heard.length).toBeLessThan(long.length)
  await client.seen((frame) => frame.type === 'agent_response' && getText(frame) === 'Go on.')

  const place = client.frames.indexOf(interruption)
  const idsBefore = client.frames
    .slice(0, place)
    .filter(isOfType('audio'))
    .map(({ audio_event: event }) => Number(event?.['event_id']))
  expect(Math.max(...idsBefore)).toBeLessThan(Number(interruption['interruption_event']?.['event_id']))
  const given = model.asked[1]?.messages.map(({ role, content }) => [role, content])
  expect(given).toEqual([
    ['user', [{ type: 'text', text: 'what is it' }]],
    ['assistant', [{ type: 'text', text: heard }]],
    ['user', [{ type: 'text', text: 'stop' }]],
  ])
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.transcript[1]).toMatchObject({ message: heard, original_message: long, interrupted: true })
})

test('[V16] hanging up during an answer keeps the part that was heard', async () => {
  const long = 'One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen.'
  const server = await startConversations({
    model: createScriptedModel([createAnswerScript(long)]),
    speech: createScriptedSpeech(['what is it'], 40),
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen(isOfType('agent_response'))
  await client.seen(isOfType('audio'))
  server.pass(900)
  client.socket.close()
  const { record } = await server.allFinished()
  const told = record.transcript[1]
  expect(told).toMatchObject({ original_message: long, interrupted: true })
  expect(told?.message).toMatch(/^One two/)
  expect(long.startsWith(told?.message ?? '?')).toBe(true)
})

test('[X2] muting in mid-sentence completes the utterance', async () => {
  const server = await startConversations({
    model: createScriptedModel([createAnswerScript('Yes.')]),
    speech: createScriptedSpeech(['hello']),
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames(0)) client.send(frame)
  const { user_transcription_event: heard } = await client.seen(isOfType('user_transcript'))
  expect(heard?.['user_transcript']).toBe('hello')
})

test('[X2] a typed message interrupts an answer', async () => {
  const speech = createScriptedSpeech([], 100)
  const server = await startConversations({
    speech,
    model: createScriptedModel([createAnswerScript('Yes.')]),
    config: { agent: { first_message: 'This takes very long to say.' } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('audio'))
  client.send({ type: 'user_message', text: 'Stop' })
  await client.seen(isOfType('interruption'))
  const { agent_response_correction_event: correction } = await client.seen(
    isOfType('agent_response_correction'),
  )
  expect(correction).toMatchObject({ original_agent_response: 'This takes very long to say.' })
})

test('[X2] an utterance overtaken by a typed message interrupts nothing and is answered after it', async () => {
  const recognised = Promise.withResolvers<void>()
  const half = { recognise: () => recognised.promise.then(() => 'and then') }
  const model = createScriptedModel([
    createAnswerScript('It is a boat.'),
    createAnswerScript('Then it sank.'),
  ])
  const server = await startConversations({
    model,
    speech: { ...createScriptedSpeech([], 20), recogniser: half },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames(0)) client.send(frame)
  client.send({ type: 'user_message', text: 'What is it?' })
  await client.seen(isOfType('audio'))
  recognised.resolve()
  await client.seen((frame) => frame.type === 'agent_response' && getText(frame) === 'Then it sank.')
  server.pass(60_000)
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.transcript.map(({ message, interrupted }) => [message, interrupted])).toEqual([
    ['What is it?', false],
    ['It is a boat.', false],
    ['and then', false],
    ['Then it sank.', false],
  ])
})

test('[X2] an uninterruptible first message is played to its end', async () => {
  const speech = createScriptedSpeech(['hello'], 30)
  const server = await startConversations({
    speech,
    model: createScriptedModel([createAnswerScript('Yes.')]),
    config: {
      agent: { first_message: 'This takes a while to be said.', disable_first_message_interruptions: true },
    },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('audio'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen((frame) => frame.type === 'agent_response' && getText(frame) === 'Yes.')
  expect(client.frames.some(isOfType('agent_response_correction'))).toBe(false)
})

test('[X2] a noise does not lose an answer', async () => {
  const speech = createScriptedSpeech(['what is it', ''], 20)
  const { promise: isSpoken, resolve: go } = Promise.withResolvers<void>()
  const createSlowModel = async function* (): AsyncIterable<ModelEvent> {
    await isSpoken
    yield* createAnswerScript('It is a boat.')
  }
  const config = {
    conversation: { client_events: ['user_transcript', 'vad_score', 'audio', 'agent_response_correction'] },
  }
  const server = await startConversations({
    config,
    speech,
    model: createScriptedModel([createSlowModel, createAnswerScript('It is a boat.')]),
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen(isOfType('user_transcript'))
  const [beginning, rest] = [createSoundFrames().slice(0, 10), createSoundFrames().slice(10)]
  const from = client.frames.length
  for (const frame of beginning) client.send(frame)
  await client.seen(isOfType('vad_score'), from)
  go()
  await client.seen(isOfType('agent_response_correction'))
  for (const frame of rest) client.send(frame)
  await client.seen(isOfType('audio'))
  server.pass(60_000)
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.transcript.at(-1)).toMatchObject({
    role: 'agent',
    message: 'It is a boat.',
    interrupted: false,
  })
})

test('[X2] asks to repeat unrecognised speech, at most twice in a row', async () => {
  const model = createScriptedModel([createAnswerScript('A boat.')])
  const speech = createScriptedSpeech(['', '', '', 'what is it'])
  const config = { conversation: { client_events: ['vad_score', 'audio', 'agent_response'] } }
  const server = await startConversations({ model, speech, config })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (let time = 0; time < 4; time++) {
    const from = client.frames.length
    for (const frame of createSoundFrames()) client.send(frame)
    await client.seen((frame) => frame.vad_score_event?.['vad_score'] === 0, from)
    if (time !== 2) await client.seen(isOfType('audio'), from)
    server.pass(60_000)
  }
  const repeat = "I didn't catch that. Could you say it again?"
  expect(client.frames.filter(isOfType('agent_response')).map(getText)).toEqual([repeat, repeat, 'A boat.'])
  expect(model.asked).toHaveLength(1)
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.transcript.map(({ role, message }) => [role, message])).toEqual([
    ['agent', repeat],
    ['agent', repeat],
    ['user', 'what is it'],
    ['agent', 'A boat.'],
  ])
})

test('[X2] asks to repeat if the recogniser fails', async () => {
  const speech = {
    ...createScriptedSpeech(),
    recogniser: { recognise: () => Promise.reject(new Error('The recogniser broke.')) },
  }
  const server = await startConversations({ speech })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen((frame) => frame.error_event?.['error_type'] === 'asr_transcription_error')
  expect(getText(await client.seen(isOfType('agent_response')))).toContain("I didn't catch that")
})

test('[X2] the keywords of an agent are hints for the recogniser', async () => {
  const given: unknown[] = []
  const speech = {
    ...createScriptedSpeech(),
    recogniser: {
      async recognise(_utterance: unknown, _signal: unknown, hints?: readonly string[]) {
        given.push(hints)
        return 'where is Vadso'
      },
    },
  }
  const server = await startConversations({
    speech,
    model: createScriptedModel([createAnswerScript('In the north.')]),
    config: { asr: { keywords: ['Vadso', 'Karrowby'] } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen(isOfType('agent_response'))
  expect(given).toEqual([['Vadso', 'Karrowby']])
})

test('[X2] when the agent ends the call, its farewell is played, then the client is notified, then the socket closes', async () => {
  const speech = createScriptedSpeech([], 20)
  const server = await startConversations({
    speech,
    model: createScriptedModel([callTool('end_call', { reason: 'done' }, 'Goodbye then.')]),
    config: { agent: { prompt: END_CALL } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  client.send({ type: 'user_message', text: 'Bye' })
  expect(await client.closed).toMatchObject({ code: 1000 })
  const types = client.frames.map(({ type }) => type)
  expect(types.at(-1)).toBe('agent_tool_response')
  // 13 letters of 20 milliseconds, in pieces of 200.
  expect(types.filter((type) => type === 'audio')).toHaveLength(2)
  expect(client.frames.at(-1)?.['agent_tool_response']).toMatchObject({
    tool_name: 'end_call',
    tool_type: 'system',
    is_error: false,
  })
  const { record } = await server.allFinished()
  expect(record).toMatchObject({
    status: 'done',
    metadata: { termination_reason: 'end_call tool was called.' },
  })
  expect(record.transcript.at(-1)).toMatchObject({
    message: 'Goodbye then.',
    tool_calls: [{ tool_name: 'end_call' }],
    tool_results: [{ tool_name: 'end_call' }],
  })
})

test('[X2] speaking during a farewell keeps the call open', async () => {
  const server = await startConversations({
    speech: createScriptedSpeech([], 1_000),
    model: createScriptedModel([callTool('end_call', {}, 'Goodbye then.'), createAnswerScript('Yes?')]),
    config: { agent: { prompt: END_CALL } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  client.send({ type: 'user_message', text: 'Bye' })
  await client.seen(isOfType('audio'))
  client.send({ type: 'user_message', text: 'Wait' })
  await client.seen((frame) => frame.type === 'agent_response' && getText(frame) === 'Yes?')
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.transcript[1]).toMatchObject({ interrupted: true, tool_results: [{ is_error: true }] })
})

test('[X2] an agent can skip its turn', async () => {
  const skip_turn = { name: 'skip_turn', params: { system_tool_type: 'skip_turn' } }
  const server = await startConversations({
    model: createScriptedModel([callTool('skip_turn', {}), createAnswerScript('Yes.')]),
    config: { ...TEXT, agent: { prompt: { built_in_tools: { skip_turn } } } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  client.send({ type: 'user_message', text: 'One moment' })
  await client.seen(({ agent_tool_response: response }) => response?.['tool_name'] === 'skip_turn')
  client.send({ type: 'user_message', text: 'Here I am' })
  await client.seen(isOfType('agent_response'))
  expect(client.frames.filter(isOfType('agent_response'))).toHaveLength(1)
})

const SHOW = ToolConfig.parse({
  type: 'client',
  name: 'show',
  description: 'Shows.',
  expects_response: true,
  response_timeout_secs: 1,
  parameters: {
    type: 'object',
    properties: {
      what: { type: 'string', description: 'What' },
      who: { type: 'string', dynamic_variable: 'name' },
    },
    required: ['what'],
  },
  assignments: [{ dynamic_variable: 'shown', value_path: 'shown' }],
})

test.each<[string, object | undefined, RegExp, boolean]>([
  ['its answer', { result: '{"shown":"a boat"}', is_error: false }, /a boat/, false],
  ['its failure', { result: 'no screen', is_error: true }, /The tool failed/, true],
  ['a timeout', undefined, /The tool failed/, true],
])('[X2] a client runs a tool, and the model gets %s', async (_, answer, told, isError) => {
  const model = createScriptedModel([callTool('show', { what: 'boat' }), createAnswerScript('Done.')])
  const server = await startConversations({
    model,
    tools: [{ id: 'tool_1', tool_config: SHOW }],
    config: { ...TEXT, agent: { prompt: { tool_ids: ['tool_1'] } } },
  })
  const client = await connectRawClient(server.url)
  client.send({ ...OPENING_FRAME, dynamic_variables: { name: 'Ada' } })
  client.send({ type: 'user_message', text: 'Show me a boat' })
  const call = (await client.seen(isOfType('client_tool_call')))['client_tool_call']
  expect(call).toMatchObject({ tool_name: 'show', parameters: { what: 'boat', who: 'Ada' } })
  if (answer) client.send({ type: 'client_tool_result', tool_call_id: call?.['tool_call_id'], ...answer })
  await client.seen(isOfType('agent_response'))
  expect(JSON.stringify(model.asked[1]?.messages.at(-1))).toMatch(told)
  expect(client.frames.find(isOfType('agent_tool_response'))?.['agent_tool_response']).toMatchObject({
    is_error: isError,
    tool_type: 'client',
  })
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.conversation_initiation_client_data.dynamic_variables['shown']).toBe(
    isError ? undefined : 'a boat',
  )
})

test('[X2] silence makes the agent speak once, and later ends the call', async () => {
  const model = createScriptedModel([createAnswerScript('Are you there?'), createAnswerScript('Hello?')])
  const server = await startConversations({
    model,
    speech: createScriptedSpeech([], 1),
    config: { agent: { first_message: 'Hi.' }, turn: { turn_timeout: 0.1, silence_end_call_timeout: 1 } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  expect(await client.closed).toMatchObject({ code: 1000 })
  const { record } = await server.allFinished()
  expect(record.metadata.termination_reason).toBe('Timed out: no input from the person')
  expect(record.transcript.map(({ message }) => message)).toEqual(['Hi.', 'Are you there?'])
})

test('[X2] a call ends at its maximum duration', async () => {
  const server = await startConversations({
    config: { conversation: { text_only: true, max_duration_seconds: 1 } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  expect(await client.closed).toMatchObject({ code: 1000 })
  expect(client.frames.at(-1)?.['error_event']).toMatchObject({ error_type: 'max_duration_exceeded' })
})

test('[X2] context updates reach the model, the latest per id', async () => {
  const model = createScriptedModel([createAnswerScript('Yes.')])
  const server = await startConversations({ model, config: TEXT })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  client.send({ type: 'contextual_update', text: 'On page 1', context_id: 'page' })
  client.send({ type: 'contextual_update', text: 'On page 2', context_id: 'page' })
  client.send({ type: 'contextual_update', text: 'It rains' })
  client.send({ type: 'user_message', text: 'Where am I?' })
  await client.seen(isOfType('agent_response'))
  expect(model.asked[0]?.system).toMatch(/- On page 2\n- It rains$/)
  expect(model.asked[0]?.system).not.toContain('page 1')
})

test('[X2] feedback is stored with its answer', async () => {
  const server = await startConversations({ config: { ...TEXT, agent: { first_message: 'Hello.' } } })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  const greeting = await client.seen(isOfType('agent_response'))
  client.send({ type: 'feedback', score: 'like', event_id: greeting['agent_response_event']?.['event_id'] })
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.transcript[0]?.feedback).toMatchObject({ score: 'like' })
  expect(record.metadata.feedback).toEqual({ overall_score: 'like', likes: 1, dislikes: 0 })
})

test('[X2] a model failure is reported, and the conversation continues', async () => {
  const failing: readonly ModelEvent[] = [
    {
      type: 'failure',
      error: { code: 'provider_unavailable', message: 'The provider is away.', retryable: true },
    },
  ]
  const server = await startConversations({
    model: createScriptedModel([failing, createAnswerScript('Yes.')]),
    config: TEXT,
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  client.send({ type: 'user_message', text: 'Hello?' })
  const { error_event: error } = await client.seen(isOfType('error'))
  expect(error).toMatchObject({ error_type: 'llm_error', message: 'The provider is away.' })
  client.send({ type: 'user_message', text: 'Hello again?' })
  await client.seen(isOfType('agent_response'))
})
