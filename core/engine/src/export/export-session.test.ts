import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, type TurnId, type WorkflowNode, kebabIdSchema } from '@parley/contracts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import { reconstructSessionState } from '../session/reconstruct-session-state.ts'
import { createTestSession } from '../testing/fixtures.ts'
import { parseWorkflow } from '../workflow/parse-workflow.ts'
import { exportSession, exportSessionYaml, serializeWorkflow } from './export-session.ts'
import {
  type Said,
  createAnswer,
  anySession,
  anyTranscript,
  createQuestion,
  createCalls,
  createResult,
  createSession,
  transcript,
} from './transcripts.fixture.ts'

const FILE = 'session.relavium.yaml'
const TURN = 'trn_x' as TurnId

const createNode = (index: number, given: Partial<Extract<WorkflowNode, { type: 'agent' }>>) => ({
  id: `turn-${index}`,
  type: 'agent',
  agent_ref: 'helper',
  ...given,
})

describe('[S14] turns become nodes', () => {
  test.each<[string, readonly Said[], readonly ReturnType<typeof createNode>[]]>([
    ['nothing was said', [], []],
    [
      'one question, one answer',
      [createQuestion('Hi'), createAnswer('Hello')],
      [createNode(1, { prompt_template: 'Hi' })],
    ],
    [
      'a turn in split rows is one node, with its tools once each',
      [
        createQuestion('Sum up'),
        createCalls('read_file', 'list_directory'),
        createResult('…'),
        createCalls('read_file'),
        createResult('…'),
        createAnswer('So'),
      ],
      [createNode(1, { prompt_template: 'Sum up', tools: ['read_file', 'list_directory'] })],
    ],
    [
      'questions of one turn are one prompt',
      [
        { ...createQuestion('One'), turnId: TURN },
        { ...createQuestion('two', 'three'), turnId: TURN },
        createAnswer('ok'),
      ],
      [createNode(1, { prompt_template: 'One\ntwo\nthree' })],
    ],
    [
      'an unanswered question',
      [createQuestion('Hi'), createAnswer('Hello'), createQuestion('Still there?')],
      [createNode(1, { prompt_template: 'Hi' })],
    ],
    [
      'a turn that was interrupted among its calls, before one that was not',
      [createQuestion('Read'), createCalls('read_file'), createQuestion('Again'), createAnswer('Done')],
      [createNode(1, { prompt_template: 'Again' })],
    ],
    ['a call without its result', [createQuestion('Read'), createCalls('read_file'), createResult('…')], []],
    ['an answer that failed', [createQuestion('Hi'), createAnswer('Hel', { cutShort: 'failed' })], []],
    [
      'a step that was cancelled before its call',
      [createQuestion('Hi'), createAnswer('Let me look', { cutShort: 'unfinished' })],
      [],
    ],
    [
      'an answer that was stopped',
      [createQuestion('Hi'), createAnswer('Hel', { cutShort: 'cancelled' })],
      [createNode(1, { prompt_template: 'Hi' })],
    ],
    ['an empty answer', [createQuestion('Hi'), createAnswer('')], []],
    ['a question without text', [{ role: 'user', content: [] }, createAnswer('Hello')], [createNode(1, {})]],
  ])('%s', (_, said, expected) => {
    const messages = transcript(...said)
    const { nodes, edges } = exportSession(createSession(), messages)
    expect(nodes).toEqual([{ id: 'input', type: 'input' }, ...expected, { id: 'output', type: 'output' }])
    const ids = ['input', ...expected.map(({ id }) => id), 'output']
    expect(edges).toEqual(ids.slice(1).map((to, index) => ({ from: ids[index], to })))
  })
})

test.each([
  ['Hello {{ctx.name}}', 'Hello { {ctx.name}}'],
  ['{{{a}}}', '{ { {a}}}'],
  ['{{{{', '{ { { {'],
  ['${{ secrets.KEY }}', '${ { secrets.KEY }}'],
  ['{ {a} {%b%} {#c#} }}', '{ {a} {%b%} {#c#} }}'],
])('[S14] openers are neutralised: %s', (said, expected) => {
  const { nodes } = exportSession(createSession(), transcript(createQuestion(said), createAnswer('ok')))
  expect(nodes[1]).toMatchObject({ prompt_template: expected })
})

test('[S14] braces that are adjacent only across two parts are not escaped', () => {
  const messages = transcript(createQuestion('a {', '{b}}'), createAnswer('ok'))
  expect(serializeWorkflow(exportSession(createSession(), messages)).split('metadata:')[1]).not.toContain(
    '{{',
  )
})

test.each([
  ['Letters to Oslo', 'letters-to-oslo'],
  ['  --What’s NEW?! (v2.0)  ', 'whats-new-v2-0'],
  ['café au lait', 'caf-au-lait'],
  ['東京 trip', 'trip'],
  ['東京', 'exported-session'],
  ['', 'exported-session'],
  [undefined, 'exported-session'],
  ['\u212aelvin', 'elvin'],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ['x'.repeat(200), 'x'.repeat(64)],
])('[S14] the title %j gives the id %s', (title, id) => {
  const { title: _, ...session } = createSession()
  expect(exportSession({ ...session, ...(title !== undefined && { title }) }, []).id).toBe(id)
})

test('[S14] the agent is the frozen one, and the metadata hold the whole transcript', () => {
  const messages = transcript(createQuestion('Hi'), createAnswer('Hello'), createQuestion('Still there?'))
  const session = createSession()
  const { agents, metadata, ...rest } = exportSession(session, messages)
  expect(agents).toEqual([session.agentSnapshot])
  expect(Object.keys(rest)).toEqual(['id', 'nodes', 'edges'])
  expect(metadata).toEqual({
    relaviumExport: {
      source: 'session',
      sessionId: session.id,
      agentSlug: 'helper',
      title: 'Letters to Oslo',
      createdAt: session.createdAt,
      updatedAt: session.updatedAt,
      messages,
    },
  })
})

test('[S14] a provider’s signature is not exported, even if it was stored', () => {
  const signed = { type: 'reasoning' as const, text: 'Hm.', signature: 'c2lnbmVk' }
  const messages = transcript(
    createQuestion('Hi'),
    { role: 'assistant', content: [signed] },
    createAnswer('Hello'),
  )
  const written = serializeWorkflow(exportSession(createSession(), messages))
  expect(written).toContain('Hm.')
  expect(written).not.toContain('c2lnbmVk')
})

test('[S14] the context’s variables and the owner are not exported', () => {
  const context = { ...createSession().context, variables: { key: 'sk-live-4f9a' } }
  const written = serializeWorkflow(
    exportSession(createSession({ context }), transcript(createQuestion('Hi'), createAnswer('Hello'))),
  )
  for (const secret of ['sk-live-4f9a', createSession().ownerId, context.workingDir])
    expect(written).not.toContain(secret)
})

test('[S14] a small session is written in readable form', async () => {
  const messages = transcript(
    createQuestion('What is in notes.md?\nUse {{ctx.lang}}, please.'),
    createCalls('read_file'),
    createResult('# Oslo\n\n- call Zoë: 9:30\n'),
    createAnswer('You are to call Zoë at 9:30.'),
    createQuestion('yes'),
  )
  const written = serializeWorkflow(exportSession(createSession(), messages))
  expect(written).toBe(await readFile(new URL('./small-session.relavium.yaml.txt', import.meta.url), 'utf8'))
})

test('[S14] any transcript: the export parses, matches the turns, and stays the same bytes', async () => {
  const property = fc.asyncProperty(anySession, anyTranscript, async (session, messages) => {
    const workflow = exportSession(session, messages)
    const written = serializeWorkflow(workflow)
    const read = await parseWorkflow(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(written)), {
      file: FILE,
    })
    expect(read).toEqual(workflow)
    expect(serializeWorkflow(read)).toBe(written)
    expect(serializeWorkflow(exportSession(session, messages))).toBe(written)

    const completed = reconstructSessionState(messages).filter(({ outcome }) => outcome === 'completed')
    expect(read.nodes).toHaveLength(completed.length + 2)
    expect(kebabIdSchema.safeParse(read.id).success).toBe(true)
    expect(read.metadata?.['relaviumExport']).toMatchObject({ messages: messages as unknown as Json })
    const prompts = read.nodes.map((one) => (one.type === 'agent' ? (one.prompt_template ?? '') : ''))
    expect(prompts.filter((prompt) => prompt.includes('{{'))).toEqual([])
  })
  await fc.assert(property, { numRuns: 400 })
})

test('[S14] thousands of turns are exported and read within seconds', async () => {
  const said = Array.from({ length: 2_000 }, (_, n) => [
    createQuestion(`Question ${n}:\n${'why? '.repeat(40)}`),
    createAnswer(`Because: ${'so. '.repeat(100)}`),
  ])
  const messages = transcript(...said.flat())
  // CPU time, independent of other load.
  const began = process.cpuUsage()
  const written = serializeWorkflow(exportSession(createSession(), messages))
  const read = await parseWorkflow(written, { file: FILE })
  const { user, system } = process.cpuUsage(began)
  const seconds = (user + system) / 1_000_000
  console.log(
    `2,000 turns, ${written.length} characters: exported and parsed in ${seconds.toFixed(1)} s of CPU`,
  )
  expect(read.nodes.at(-2)).toMatchObject({ id: 'turn-2000' })
  expect(serializeWorkflow(read)).toBe(written)
  expect(seconds).toBeLessThan(12)
})

const SESSION = createSession()

async function storeTranscript(messages: ReturnType<typeof transcript>) {
  const store = createMemorySessionStore()
  const [session, started] = createTestSession(SESSION.id, SESSION.createdAt, {
    messageCount: messages.length,
  })
  await store.create(session, started, messages)
  return store
}

test('[S14] messages that arrive during an export are in the next one', async () => {
  const before = transcript(createQuestion('Hi'), createAnswer('Hello'))
  const after = transcript(
    createQuestion('Hi'),
    createAnswer('Hello'),
    createQuestion('More?'),
    createAnswer('More.'),
  )
  const [early, late] = await Promise.all([storeTranscript(before), storeTranscript(after)])
  const racing: Parameters<typeof exportSessionYaml>[0] = {
    find: (sessionId) => early.find(sessionId),
    readMessages: (sessionId, range) => late.readMessages(sessionId, range),
  }
  expect(await exportSessionYaml(racing, SESSION.id)).toEqual(await exportSessionYaml(early, SESSION.id))
  expect((await exportSessionYaml(late, SESSION.id)).workflow.nodes).toHaveLength(4)
})

test('[S14] a long session is read in pages of limited size', async () => {
  const messages = transcript(
    ...Array.from({ length: 30 }, (_, n) => [
      createQuestion(`${n}`),
      createAnswer('x'.repeat(1_000_000)),
    ]).flat(),
  )
  const store = await storeTranscript(messages)
  const pages: number[] = []
  const { workflow } = await exportSessionYaml(
    {
      find: (sessionId) => store.find(sessionId),
      readMessages: async (sessionId, range) => {
        const page = await store.readMessages(sessionId, range)
        pages.push(page.length)
        return page
      },
    },
    SESSION.id,
  )
  expect(workflow.nodes).toHaveLength(32)
  expect(Math.max(...pages)).toBeLessThan(12)
})

test('a missing session is reported by its id', async () => {
  await expect(exportSessionYaml(createMemorySessionStore(), SESSION.id)).rejects.toMatchObject({
    code: 'session_not_found',
    detail: { sessionId: SESSION.id },
  })
})
