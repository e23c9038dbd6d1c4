import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallId, Json, SessionEvent } from '@parley/contracts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import type { ModelEvent } from '../ports/model.ts'
import { createAnswerScript, createFakeTools, createScriptedModel } from '../testing/fakes.ts'
import { testAgent, testOwner } from '../testing/fixtures.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import type { NewSession } from './requests.ts'

const VALUE = 'made-up-tides-key'
const FINISH: ModelEvent = { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } }

/** Sessions of a process in which a value becomes a secret when the test says so. */
function createSessionsWithSecret(scripts: Parameters<typeof createScriptedModel>[0]) {
  let isSecret = false
  const model = createScriptedModel(scripts)
  const tools = createFakeTools({ run: async () => ({ kind: 'ok', text: 'found' }) })
  const secrets = () => (isSecret ? [{ name: 'TIDES', value: VALUE }] : [])
  return { ...createTestSessions(model, { tools, secrets }), model, keep: () => (isSecret = true) }
}

test('[S13] older text with a new secret is masked for the model', async () => {
  const { sessions, start, model, keep } = createSessionsWithSecret([
    createAnswerScript('Noted.'),
    createAnswerScript('Yes.'),
  ])
  const { id } = await start()
  await (
    await sessions.send(id, `It is ${VALUE}`)
  ).ended
  keep()
  await (
    await sessions.send(id, 'And now?')
  ).ended
  expect(JSON.stringify(model.asked[1])).toContain('It is [secret TIDES]')
  expect((await sessions.exportSession(id)).yaml).not.toContain(VALUE)
})

test('[S13] a model that summarises gets it masked, too', async () => {
  const { sessions, start, model, keep } = createSessionsWithSecret([
    createAnswerScript('Noted.'),
    createAnswerScript('They spoke.'),
  ])
  const { id } = await start()
  await (
    await sessions.send(id, `It is ${VALUE}`)
  ).ended
  keep()
  await sessions.compact(id)
  expect(JSON.stringify(model.asked[1])).toContain('It is [secret TIDES]')
})

test('[S13] messages of person and model, and tool calls, are stored without the secret', async () => {
  const call: ModelEvent = {
    type: 'tool_call',
    call: { id: 'call-1' as CallId, name: 'look', input: { [VALUE]: [`x ${VALUE}`] } },
  }
  const { sessions, start, store, keep } = createSessionsWithSecret([
    [{ type: 'text', text: `I say ${VALUE}. ` }, call, FINISH],
    createAnswerScript('Done.'),
  ])
  keep()
  const { id } = await start({ title: `Of ${VALUE}` })
  await (
    await sessions.send(id, `It is ${VALUE}`)
  ).ended
  await sessions.rename(id, `Again ${VALUE}`)
  expect(JSON.stringify(await store.readTail(id, 10))).not.toContain(VALUE)
  expect((await store.find(id))?.session.title).toBe('Again [secret TIDES]')
})

test('[S13] a provider error that repeats a secret is masked', async () => {
  const error = { code: 'provider_auth', message: `bad key ${VALUE}`, retryable: false } as const
  const { sessions, start, eventsUntil, keep } = createSessionsWithSecret([[{ type: 'failure', error }]])
  keep()
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  const events = await eventsUntil(id, 0, ({ type }) => type === 'session:turn_completed')
  expect(events.at(-1)).toMatchObject({ error: { message: 'bad key [secret TIDES]' } })
})

const isEnd = ({ type }: SessionEvent) => type === 'session:turn_completed'

/** Runs one turn; resolves to the events that a live reader saw, and to those that a later reader gets. */
async function readLiveAndReplayed(scripts: Parameters<typeof createScriptedModel>[0]) {
  const { sessions, start, eventsUntil, store, keep } = createSessionsWithSecret(scripts)
  keep()
  const { id } = await start()
  const reading = eventsUntil(id, 0, isEnd)
  await (
    await sessions.send(id, 'Hello')
  ).ended
  return {
    live: await reading,
    replayed: await eventsUntil(id, 0, isEnd),
    messages: await store.readTail(id, 10),
  }
}

const joinText = (events: readonly SessionEvent[], type: 'text' | 'reasoning') =>
  events
    .map((event) => {
      if (type === 'text') return event.type === 'agent:token' ? event.token : ''
      return event.type === 'agent:reasoning' ? event.text : ''
    })
    .join('')

test.each(['text', 'reasoning'] as const)(
  '[S13] a secret that a model says as %s, in chunks, is masked in live events as in stored ones',
  async (type) => {
    const chunks = ['I say made-', 'up-ti', 'des-key', ' and made-up-', 'tales. made-up-t']
    const said = chunks.map((text): ModelEvent => ({ type, text }))
    const { live, replayed } = await readLiveAndReplayed([[...said, { type: 'text', text: 'Done.' }, FINISH]])
    expect(joinText(live, type)).toMatch(/^I say \[secret TIDES\] and made-up-tales\. made-up-t/)
    expect(joinText(replayed, type)).toBe(joinText(live, type))
    expect(JSON.stringify(live)).not.toContain(VALUE)
  },
)

test.each(['text', 'reasoning'] as const)(
  '[S13] most of a secret that a model says as %s before it is cancelled is shown neither live nor later',
  async (type) => {
    const hanging = Promise.withResolvers<void>()
    const { sessions, start, eventsUntil, store, keep } = createSessionsWithSecret([
      async function* (_, signal) {
        yield { type, text: 'I say made-' }
        yield { type, text: 'up-tides-ke' }
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
        hanging.resolve()
        await aborted
      },
    ])
    keep()
    const { id } = await start()
    const reading = eventsUntil(id, 0, isEnd)
    const { ended } = await sessions.send(id, 'Hello')
    await hanging.promise
    await sessions.cancel(id)
    await ended
    const [live, replayed] = [await reading, await eventsUntil(id, 0, isEnd)]
    expect(joinText(live, type)).toBe('I say [secret TIDES]')
    expect(joinText(replayed, type)).toBe(joinText(live, type))
    expect(JSON.stringify([live, await store.readTail(id, 10)])).not.toContain('made-up')
  },
)

test.each<[string, readonly ModelEvent[]]>([
  [
    'fails',
    [{ type: 'failure', error: { code: 'provider_unavailable', message: 'gone', retryable: false } }],
  ],
  ['runs out of tokens', [{ ...FINISH, reason: 'max_tokens' }]],
  ['ends without a word', []],
])('[S13] most of a secret is masked where the answer %s', async (_, last) => {
  const { live, replayed } = await readLiveAndReplayed([
    [{ type: 'text', text: 'I say made-up-tides-ke' }, ...last],
  ])
  expect(joinText(live, 'text')).toBe('I say [secret TIDES]')
  expect(joinText(replayed, 'text')).toBe(joinText(live, 'text'))
})

test('[S13] live readers see a call without the secret that it holds', async () => {
  const call = { id: 'call-1' as CallId, name: 'look', input: { at: [`x ${VALUE}`] } }
  const { live, replayed } = await readLiveAndReplayed([
    [{ type: 'tool_call', call }, FINISH],
    createAnswerScript('Done.'),
  ])
  expect(live.find(({ type }) => type === 'agent:tool_call')).toMatchObject({
    call: { input: { at: ['x [secret TIDES]'] } },
  })
  expect(JSON.stringify([live, replayed])).not.toContain(VALUE)
})

test('[S13] a signature is returned only with the signed text, not with masked text', async () => {
  const signature = { provider: 'test', data: { signature: 'made up' } }
  const signed: ModelEvent = { type: 'signature', signature }
  const call = { id: 'call-1' as CallId, name: 'look', input: {} }
  const { sessions, start, model, keep } = createSessionsWithSecret([
    [
      { type: 'reasoning', text: `I think of ${VALUE}` },
      signed,
      { type: 'reasoning', text: 'and of the sea' },
      signed,
      { type: 'tool_call', call },
      FINISH,
    ],
    createAnswerScript('Done.'),
  ])
  keep()
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  expect(model.asked[1]?.messages[1]?.content.slice(0, 2)).toEqual([
    { type: 'reasoning', text: 'I think of [secret TIDES]', signature: { provider: 'test', data: null } },
    { type: 'reasoning', text: 'and of the sea', signature },
  ])
})

test('[S6] a live reader and a later one have the same text, for any chunks of the model', async () => {
  const piece = fc.oneof(
    fc.integer({ min: 1, max: VALUE.length }).map((end) => VALUE.slice(0, end)),
    fc.integer({ min: 0, max: VALUE.length - 1 }).map((from) => VALUE.slice(from)),
    fc.string({ minLength: 1, maxLength: 4 }),
  )
  const said = fc.record({ type: fc.constantFrom('text' as const, 'reasoning' as const), text: piece })
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 12 }), async (chunks) => {
      const { live, replayed, messages } = await readLiveAndReplayed([
        [...chunks, { type: 'text', text: '.' }, FINISH],
      ])
      const stored = messages.flatMap(({ content }) => content)
      for (const type of ['text', 'reasoning'] as const) {
        const kept = stored.filter((part) => part.type === type && part.text !== 'Hello')
        expect(joinText(live, type)).toBe(kept.map((part) => (part.type === type ? part.text : '')).join(''))
        expect(joinText(replayed, type)).toBe(joinText(live, type))
      }
      expect(JSON.stringify([live, stored])).not.toContain(VALUE)
    }),
    { numRuns: 50 },
  )
})

const KEY = `sk-ant-api03-${'mAdE0Up1'.repeat(4)}`
const CONTEXT = { workingDir: '/home/ada/notes', fsScopeTier: 'sandboxed' } as const

async function readRefusal(opening: Partial<NewSession>): Promise<unknown> {
  const store = createMemorySessionStore()
  const { start } = createTestSessions(createScriptedModel([]), { store })
  const refusal = await start(opening).catch((failure: unknown) => failure)
  expect((await store.list({ ownerId: testOwner, limit: 10 })).items).toEqual([])
  expect(JSON.stringify([refusal, String(refusal)])).not.toContain('mAdE0Up1')
  return refusal
}

test.each<[string, Partial<NewSession>]>([
  ['agent.name', { agent: { ...testAgent, name: KEY } }],
  ['agent.description', { agent: { ...testAgent, description: `Uses ${KEY}.` } }],
  ['agent.system_prompt', { agent: { ...testAgent, system_prompt: `Your key is ${KEY}.` } }],
  [
    'agent.output_schema.examples[1]',
    { agent: { ...testAgent, output_schema: { examples: ['fine', KEY] } } },
  ],
  [
    'agent.input_schema.properties.a.default',
    { agent: { ...testAgent, input_schema: { properties: { a: { default: KEY } } } } },
  ],
  [
    'agent.mcp_servers[1].env.DB_PASSWORD',
    {
      agent: {
        ...testAgent,
        mcp_servers: ['mine', { name: 'tides', command: 'tides', env: { DB_PASSWORD: 'mAdE0Up1' } }],
      },
    },
  ],
  [
    'agent.mcp_servers[0].args[1]',
    { agent: { ...testAgent, mcp_servers: [{ name: 'tides', command: 'tides', args: ['--key', KEY] }] } },
  ],
  [
    'agent.mcp_servers[0].args[2]',
    {
      agent: {
        ...testAgent,
        mcp_servers: [
          { name: 'tides', command: 'node', args: ['x.js', '--api-key', 'mAdE0Up1zQ9x7LmP2vR8'] },
        ],
      },
    },
  ],
  ['title', { title: `Notes on ${KEY}` }],
  ['context.gitRef', { context: { ...CONTEXT, gitRef: `main-${KEY}` } }],
  ['context.activeFile', { context: { ...CONTEXT, activeFile: `/home/ada/${KEY}` } }],
  ['context.workingDir', { context: { ...CONTEXT, workingDir: `/home/${KEY}` } }],
  ['context.selection.file', { context: { ...CONTEXT, selection: { file: KEY, startLine: 1, endLine: 2 } } }],
  ['context.variables.note', { context: { ...CONTEXT, variables: { note: KEY } } }],
  ['context.variables.api_key', { context: { ...CONTEXT, variables: { api_key: 'mAdE0Up1zQ9x7LmP2vR8' } } }],
])(
  '[S9] a session is not started if %s holds a key, and the error does not show the key',
  async (path, opening) => {
    expect(await readRefusal(opening)).toMatchObject({
      code: 'validation',
      detail: {
        path,
        message: expect.stringContaining(`${path} looks like a`),
        fix: expect.stringContaining('`parley keys set NAME`'),
      },
    })
  },
)

test('[S13] a session is not renamed to a key, and the error does not show the key', async () => {
  const { sessions, start, store } = createTestSessions(createScriptedModel([]))
  const { id } = await start({ title: 'Tides' })
  const refusal = await sessions.rename(id, KEY).catch((failure: unknown) => failure)
  expect(refusal).toMatchObject({ code: 'validation', detail: { path: 'title' } })
  expect(JSON.stringify([refusal, String(refusal)])).not.toContain('mAdE0Up1')
  expect((await store.find(id))?.session.title).toBe('Tides')
})

test('[S13] a session whose first message holds a key can be forked, without its title', async () => {
  const { sessions, start, store } = createTestSessions(createScriptedModel([createAnswerScript('Noted.')]))
  const { id } = await start()
  await (
    await sessions.send(id, `It is ${KEY}`)
  ).ended
  const forked = await sessions.fork(id, { ownerId: testOwner, agent: testAgent })
  expect((await store.find(forked.id))?.session.title).toBeUndefined()
})

test('[S13] a key is refused at any depth of an agent', async () => {
  const { schema } = fc.letrec<{ schema: Json; inner: Json }>((tie) => ({
    inner: fc.oneof({ maxDepth: 4 }, fc.constant<Json>(`see ${KEY}`), tie('schema')),
    schema: fc.oneof(
      fc
        .tuple(fc.string({ maxLength: 5 }), tie('inner'))
        .map(([name, inner]): Json => ({ a: 1, [name]: inner })),
      tie('inner').map((inner): Json => ['x', inner, null]),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(schema, async (given) => {
      const refusal = await readRefusal({ agent: { ...testAgent, input_schema: { default: given } } })
      expect(refusal).toMatchObject({ code: 'validation' })
    }),
    { numRuns: 50 },
  )
})

test('[S13] an agent may name secrets, and contain words that look similar', async () => {
  const { start } = createTestSessions(createScriptedModel([]))
  const env = { API_TOKEN: '{{secrets.TIDES}}', DB_PASSWORD: '${DB_PASSWORD}', HOME: '/home/ada' }
  const started = start({
    agent: {
      ...testAgent,
      description: 'Asks for the password, and never tells the token.',
      output_schema: {
        default: { password: 'ask Ada for it', commit: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' },
      },
      mcp_servers: [{ name: 'tides', command: 'tides', env }],
      input_schema: { properties: { password: { type: 'string' } }, required: ['password'] },
    },
  })
  await expect(started).resolves.toMatchObject({ status: 'active' })
})

test('[S9] a session whose prompt names a missing context variable is not started', async () => {
  const agent = { ...testAgent, system_prompt: 'You are in {{ctx.town}}.' }
  expect(await readRefusal({ agent })).toMatchObject({ code: 'validation', detail: { variable: 'town' } })
})

test.each<[string, NewSession['context'], string]>([
  [
    'too many variables',
    { ...CONTEXT, variables: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, 'x'])) },
    'context.variables: at most 100 variables.',
  ],
  ['long variables', { ...CONTEXT, variables: { long: 'x'.repeat(70_000) } }, 'at most 65536 characters'],
  ['a long branch', { ...CONTEXT, gitRef: 'x'.repeat(1_025) }, 'context.gitRef: must have at most 1024'],
])('[S9] a session is not started with %s', async (_, context, message) => {
  expect(await readRefusal({ context })).toMatchObject({
    code: 'validation',
    detail: { message: expect.stringContaining(message) },
  })
})
