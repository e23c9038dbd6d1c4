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
  answers,
  anySession,
  anyTranscript,
  asks,
  calls,
  result,
  sessionOf,
  transcript,
} from './transcripts.fixture.ts'

const file = 'session.relavium.yaml'
const TURN = 'trn_x' as TurnId

const node = (index: number, given: Partial<Extract<WorkflowNode, { type: 'agent' }>>) => ({
  id: `turn-${index}`,
  type: 'agent',
  agent_ref: 'helper',
  ...given,
})

describe('[S14] turns become nodes', () => {
  test.each<[string, readonly Said[], readonly ReturnType<typeof node>[]]>([
    ['nothing was said', [], []],
    ['one question, one answer', [asks('Hi'), answers('Hello')], [node(1, { prompt_template: 'Hi' })]],
    [
      'a turn in split rows is one node, with its tools once each',
      [
        asks('Sum up'),
        calls('read_file', 'list_directory'),
        result('…'),
        calls('read_file'),
        result('…'),
        answers('So'),
      ],
      [node(1, { prompt_template: 'Sum up', tools: ['read_file', 'list_directory'] })],
    ],
    [
      'questions of one turn are one prompt',
      [{ ...asks('One'), turnId: TURN }, { ...asks('two', 'three'), turnId: TURN }, answers('ok')],
      [node(1, { prompt_template: 'One\ntwo\nthree' })],
    ],
    [
      'an unanswered question',
      [asks('Hi'), answers('Hello'), asks('Still there?')],
      [node(1, { prompt_template: 'Hi' })],
    ],
    [
      'a turn that was interrupted among its calls, before one that was not',
      [asks('Read'), calls('read_file'), asks('Again'), answers('Done')],
      [node(1, { prompt_template: 'Again' })],
    ],
    ['a call without its result', [asks('Read'), calls('read_file'), result('…')], []],
    ['an answer that failed', [asks('Hi'), answers('Hel', { cutShort: 'failed' })], []],
    [
      'a step that was cancelled before its call',
      [asks('Hi'), answers('Let me look', { cutShort: 'unfinished' })],
      [],
    ],
    [
      'an answer that was stopped',
      [asks('Hi'), answers('Hel', { cutShort: 'cancelled' })],
      [node(1, { prompt_template: 'Hi' })],
    ],
    ['an empty answer', [asks('Hi'), answers('')], []],
    ['a question without text', [{ role: 'user', content: [] }, answers('Hello')], [node(1, {})]],
  ])('%s', (_, said, expected) => {
    const messages = transcript(...said)
    const { nodes, edges } = exportSession(sessionOf(), messages)
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
  const { nodes } = exportSession(sessionOf(), transcript(asks(said), answers('ok')))
  expect(nodes[1]).toMatchObject({ prompt_template: expected })
})

test('[S14] braces that are adjacent only across two parts are not escaped', () => {
  const messages = transcript(asks('a {', '{b}}'), answers('ok'))
  expect(serializeWorkflow(exportSession(sessionOf(), messages)).split('metadata:')[1]).not.toContain('{{')
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
  const { title: _, ...session } = sessionOf()
  expect(exportSession({ ...session, ...(title !== undefined && { title }) }, []).id).toBe(id)
})

test('[S14] the agent is the frozen one, and the metadata hold the whole transcript', () => {
  const messages = transcript(asks('Hi'), answers('Hello'), asks('Still there?'))
  const session = sessionOf()
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
  const messages = transcript(asks('Hi'), { role: 'assistant', content: [signed] }, answers('Hello'))
  const written = serializeWorkflow(exportSession(sessionOf(), messages))
  expect(written).toContain('Hm.')
  expect(written).not.toContain('c2lnbmVk')
})

test('[S14] the context’s variables and the owner are not exported', () => {
  const context = { ...sessionOf().context, variables: { key: 'sk-live-4f9a' } }
  const written = serializeWorkflow(
    exportSession(sessionOf({ context }), transcript(asks('Hi'), answers('Hello'))),
  )
  for (const secret of ['sk-live-4f9a', sessionOf().ownerId, context.workingDir])
    expect(written).not.toContain(secret)
})

test('[S14] a small session is written in readable form', async () => {
  const messages = transcript(
    asks('What is in notes.md?\nUse {{ctx.lang}}, please.'),
    calls('read_file'),
    result('# Oslo\n\n- call Zoë: 9:30\n'),
    answers('You are to call Zoë at 9:30.'),
    asks('yes'),
  )
  const written = serializeWorkflow(exportSession(sessionOf(), messages))
  expect(written).toBe(await readFile(new URL('./small-session.relavium.yaml.txt', import.meta.url), 'utf8'))
})

test('[S14] any transcript: the export parses, matches the turns, and stays the same bytes', async () => {
  const property = fc.asyncProperty(anySession, anyTranscript, async (session, messages) => {
    const workflow = exportSession(session, messages)
    const written = serializeWorkflow(workflow)
    const read = await parseWorkflow(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(written)), {
      file,
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
    asks(`Question ${n}:\n${'why? '.repeat(40)}`),
    answers(`Because: ${'so. '.repeat(100)}`),
  ])
  const messages = transcript(...said.flat())
  // CPU time, independent of other load.
  const began = process.cpuUsage()
  const written = serializeWorkflow(exportSession(sessionOf(), messages))
  const read = await parseWorkflow(written, { file })
  const { user, system } = process.cpuUsage(began)
  const seconds = (user + system) / 1_000_000
  console.log(
    `2,000 turns, ${written.length} characters: exported and parsed in ${seconds.toFixed(1)} s of CPU`,
  )
  expect(read.nodes.at(-2)).toMatchObject({ id: 'turn-2000' })
  expect(serializeWorkflow(read)).toBe(written)
  expect(seconds).toBeLessThan(12)
})

const SESSION = sessionOf()

async function storeOf(messages: ReturnType<typeof transcript>) {
  const store = createMemorySessionStore()
  const [session, started] = createTestSession(SESSION.id, SESSION.createdAt, {
    messageCount: messages.length,
  })
  await store.create(session, started, messages)
  return store
}

test('[S14] messages that arrive during an export are in the next one', async () => {
  const before = transcript(asks('Hi'), answers('Hello'))
  const after = transcript(asks('Hi'), answers('Hello'), asks('More?'), answers('More.'))
  const [early, late] = await Promise.all([storeOf(before), storeOf(after)])
  const racing: Parameters<typeof exportSessionYaml>[0] = {
    find: (sessionId) => early.find(sessionId),
    readMessages: (sessionId, range) => late.readMessages(sessionId, range),
  }
  expect(await exportSessionYaml(racing, SESSION.id)).toEqual(await exportSessionYaml(early, SESSION.id))
  expect((await exportSessionYaml(late, SESSION.id)).workflow.nodes).toHaveLength(4)
})

test('[S14] a long session is read in pages of limited size', async () => {
  const messages = transcript(
    ...Array.from({ length: 30 }, (_, n) => [asks(`${n}`), answers('x'.repeat(1_000_000))]).flat(),
  )
  const store = await storeOf(messages)
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
