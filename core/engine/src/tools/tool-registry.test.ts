import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type CallId, EditFileInput, type Json, ReadFileInput, createToolInput } from '@parley/contracts'
import type { ToolCallCircumstances, CallDecision } from '../ports/tools.ts'
import {
  type AnyTool,
  type ToolCallPlan,
  type Tool,
  type RawToolResult,
  type ToolsHost,
  createToolRegistry,
  createToolCallRefusal,
} from './tool-registry.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

const host: ToolsHost = {
  granted: ['read_file', 'edit_file'],
  secrets: () => [{ name: 'TIDES', value: 'made-up-tides-key' }],
  hash,
  encodeUtf8: (text) => new TextEncoder().encode(text),
  toMediaHandle: (bytes) => `media://sha256-${hash(Buffer.from(bytes).toString())}`,
}

/** A file that says something, and may be edited once a person agrees. */
function createNoteTools({
  said = { kind: 'ok', text: 'low water at six' },
  state = 'v1',
}: { said?: RawToolResult; state?: string } = {}) {
  const done: string[] = []
  const read: Tool<ReadFileInput> = {
    name: 'read_file',
    description: 'Reads.',
    input: createToolInput(ReadFileInput),
    mayRepeat: true,
    async plan({ path }) {
      if (path.startsWith('/')) return createToolCallRefusal(`${path} is outside.`, 'tool_denied', path)
      if (path === 'broken') throw new Error('made-up-tides-key is wrong')
      return { kind: 'plan', target: path, origin: path, carryOut: async () => said } satisfies ToolCallPlan
    },
  }
  const edit: Tool<EditFileInput> = {
    name: 'edit_file',
    description: 'Edits.',
    input: createToolInput(EditFileInput),
    plan: async ({ path }) => ({
      kind: 'plan',
      target: path,
      approval: { preview: { kind: 'diff', text: '- low\n+ made-up-tides-key' }, state, forSession: {} },
      carryOut: async () => (done.push(path), { kind: 'ok', text: 'Edited.' }),
    }),
  }
  const never: AnyTool = { ...read, name: 'write_file' }
  return { tools: createToolRegistry([read, edit, never], host), done }
}

const createCall = (name: string, input: Json) => ({ id: 'call-1' as CallId, name, input })
const createCircumstances = (more: Partial<ToolCallCircumstances> = {}): ToolCallCircumstances => ({
  signal: new AbortController().signal,
  grants: [],
  ...more,
})
const EDIT = createCall('edit_file', { path: 'a.md', old_text: 'low', new_text: 'high' })

const carriedOut = async (verdict: CallDecision) => {
  if (verdict.kind !== 'allowed') throw new Error(`not allowed: ${JSON.stringify(verdict)}`)
  return verdict.carryOut(new AbortController().signal)
}

test('[S12] only granted tools are listed, with their schema', () => {
  const { declarations } = createNoteTools().tools
  expect(declarations.map(({ name }) => name)).toEqual(['read_file', 'edit_file'])
  expect(declarations[0]).toMatchObject({ mayRepeat: true, inputSchema: { required: ['path'] } })
})

test.each([
  [
    'an existing tool that is not granted',
    createCall('write_file', { path: 'a' }),
    'grant',
    'tool_unavailable',
    /edit_file/,
  ],
  ['a tool that is nowhere', createCall('rm', {}), 'grant', 'tool_unavailable', /"rm"/],
  [
    'input of another shape',
    createCall('read_file', { path: 7 }),
    'schema',
    'validation',
    /path must be text/,
  ],
  ['input that is no object', createCall('read_file', 'a'), 'schema', 'validation', /must be an object/],
  [
    'a parameter that is not the model’s',
    createCall('read_file', { path: 'a', root: '/' }),
    'schema',
    'validation',
    /unknown key "root"/,
  ],
  [
    'a call that the policy forbids',
    createCall('read_file', { path: '/etc' }),
    'policy',
    'tool_denied',
    /outside/,
  ],
  [
    'a plan that fails',
    createCall('read_file', { path: 'broken' }),
    'policy',
    'tool_failed',
    /\[secret TIDES\] is wrong/,
  ],
])('[S13] refused: %s', async (_, given, by, code, text) => {
  const verdict = await createNoteTools().tools.decide(given, createCircumstances())
  expect(verdict).toMatchObject({ kind: 'refused', decided: { by }, outcome: { kind: 'failed', code } })
  expect(verdict).toMatchObject({ outcome: { text: expect.stringMatching(text) } })
})

test('[S13] what needs a person asks, with a preview that shows no secret, and offers a grant', async () => {
  const { tools, done } = createNoteTools()
  const asked = await tools.decide(EDIT, createCircumstances())
  expect(asked).toMatchObject({
    kind: 'asks',
    target: 'a.md',
    preview: { kind: 'diff', text: '- low\n+ [secret TIDES]' },
    grant: { tool: 'edit_file', target: 'a.md' },
    inputHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(done).toEqual([])
})

test('[S13] an answer counts only for the exact question', async () => {
  const { tools, done } = createNoteTools()
  const asked = await tools.decide(EDIT, createCircumstances())
  const inputHash = asked.kind === 'asks' ? asked.inputHash : undefined
  const answer = { decision: 'allow' as const, inputHash }
  const other = createCall('edit_file', { path: 'a.md', old_text: 'low', new_text: 'rm -rf' })
  expect(await tools.decide(other, createCircumstances({ answer }))).toMatchObject({ kind: 'asks' })
  expect(
    await createNoteTools({ state: 'v2' }).tools.decide(EDIT, createCircumstances({ answer })),
  ).toMatchObject({ kind: 'asks' })
  const allowed = await tools.decide(EDIT, createCircumstances({ answer }))
  expect(allowed).toMatchObject({ kind: 'allowed', decided: { by: 'person', inputHash } })
  expect(await carriedOut(allowed)).toEqual({ outcome: { kind: 'ok', text: 'Edited.' } })
  expect(done).toEqual(['a.md'])
})

test('[S13] attack: a mask is written back over its value', async () => {
  const { tools, done } = createNoteTools()
  const back = createCall('edit_file', { path: 'a.md', old_text: 'low', new_text: 'x [secret TIDES] y' })
  expect(await tools.decide(back, createCircumstances())).toMatchObject({
    kind: 'refused',
    decided: { by: 'schema' },
    outcome: { code: 'validation', text: expect.stringContaining('replaces a value') },
  })
  expect(done).toEqual([])
})

test('[S13] a call without an available person says so', async () => {
  const { tools } = createNoteTools()
  const answer = { decision: 'refuse', unattended: true } as const
  expect(await tools.decide(EDIT, createCircumstances({ answer }))).toMatchObject({
    kind: 'refused',
    decided: { by: 'unattended' },
    outcome: { code: 'tool_denied', text: expect.stringContaining('No person was available') },
  })
})

test('[S13] the order of an input’s keys does not make it another', async () => {
  const { tools } = createNoteTools()
  const turned = createCall('edit_file', { new_text: 'high', old_text: 'low', path: 'a.md' })
  expect(await tools.decide(turned, createCircumstances())).toEqual(
    await tools.decide(EDIT, createCircumstances()),
  )
})

test('[S12] a long result is bounded; the whole is kept under its handle', async () => {
  const text = 'made-up-tides-key\n'.repeat(30_000)
  const { tools } = createNoteTools({ said: { kind: 'ok', text } })
  const { outcome, kept } = await carriedOut(
    await tools.decide(createCall('read_file', { path: 'a' }), createCircumstances()),
  )
  expect(new TextEncoder().encode(outcome.text).length).toBeLessThan(52_000)
  expect(outcome.text).toMatch(/omitted; to read the rest: read_file media:\/\/sha256-/)
  expect(kept?.map(({ mediaType }) => mediaType)).toEqual(['text/plain'])
  expect(outcome.whole).toBe(host.toMediaHandle(kept?.[0]?.bytes ?? new Uint8Array()))
  expect(Buffer.from(kept?.[0]?.bytes ?? []).toString()).toBe('[secret TIDES]\n'.repeat(30_000))
})

test('[S13] a result of another’s making is fenced; our own words are not', async () => {
  const { tools } = createNoteTools()
  const { outcome } = await carriedOut(
    await tools.decide(createCall('read_file', { path: 'a.md' }), createCircumstances()),
  )
  expect(outcome.text).toMatch(/^\[data \w+ from a\.md: .*\]\nlow water at six\n\[end of data \w+\]$/)
})

test('[S12] a tool that throws is an outcome for the model to read', async () => {
  const { tools } = createNoteTools()
  const throwing: AnyTool = {
    name: 'read_file',
    description: '',
    input: createToolInput(ReadFileInput),
    plan: async () => ({
      kind: 'plan',
      target: 'a',
      carryOut: () => Promise.reject(new Error('made-up-tides-key leaked')),
    }),
  }
  const failing = createToolRegistry([throwing], host)
  expect(tools.declarations).toHaveLength(2)
  expect(
    await carriedOut(await failing.decide(createCall('read_file', { path: 'a' }), createCircumstances())),
  ).toEqual({
    outcome: { kind: 'failed', code: 'tool_failed', text: '[secret TIDES] leaked' },
  })
})

/** A tool whose plan each test provides. */
function createPlannedRegistry(
  plan: Omit<ToolCallPlan, 'kind' | 'carryOut'> & Partial<ToolCallPlan>,
  granted = ['read_file'],
) {
  const tool: AnyTool = {
    name: 'read_file',
    description: '',
    input: createToolInput(ReadFileInput),
    plan: async () => ({ kind: 'plan', carryOut: async () => ({ kind: 'ok', text: 'Done.' }), ...plan }),
  }
  return createToolRegistry([tool], { ...host, granted })
}
const READ = createCall('read_file', { path: 'a' })
const readInputHash = async (plan: Parameters<typeof createPlannedRegistry>[0]) => {
  const verdict = await createPlannedRegistry(plan).decide(READ, createCircumstances())
  return verdict.kind === 'asks' ? verdict.inputHash : undefined
}

test('[S13] an answer is bound to the target, the found state and the pin', async () => {
  const bases: readonly Parameters<typeof createPlannedRegistry>[0][] = [
    { target: 'a', approval: {} },
    { target: 'b', approval: {} },
    { target: 'a', approval: { state: 'v1' } },
    { target: 'a', approval: { state: 'v2' } },
    { target: 'a', approval: { forSession: { pin: 'v1' } } },
    { target: 'a', approval: { forSession: { pin: 'v2' } } },
  ]
  const hashes = await Promise.all(bases.map(readInputHash))
  expect(new Set(hashes).size).toBe(bases.length)
  expect(await readInputHash({ target: 'a', approval: { forSession: {} } })).toBe(hashes[0])
  expect(hashes[0]).toBe(hash('["read_file",{"path":"a"},"a","",""]'))
})

test('[S13] a question says no more than the plan does', async () => {
  const asked = await createPlannedRegistry({ target: 'a', approval: {} }).decide(READ, createCircumstances())
  expect(asked).toStrictEqual({ kind: 'asks', target: 'a', inputHash: expect.any(String) })
  const pinned = await createPlannedRegistry({ target: 'a', approval: { forSession: { pin: 'v1' } } }).decide(
    READ,
    createCircumstances(),
  )
  expect(pinned).toMatchObject({ grant: { tool: 'read_file', target: 'a', pin: 'v1' } })
})

test.each<[string, string, boolean]>([
  ['as many lines as are shown', 'x\n'.repeat(10_000), true],
  ['a line too many', 'x\n'.repeat(10_001), false],
  ['as many bytes as are shown', 'x'.repeat(200_000), true],
  ['a byte too many', 'x'.repeat(200_001), false],
])(
  '[S13] a preview of %s may be granted for the session only where it is shown whole',
  async (_, text, isWhole) => {
    const approval = { preview: { kind: 'text', text }, forSession: {} } as const
    const asked = await createPlannedRegistry({ target: 'a', approval }).decide(READ, createCircumstances())
    if (asked.kind !== 'asks') throw new Error('it was not asked')
    expect(asked.preview?.text === text).toBe(isWhole)
    expect(asked.preview?.text.includes('not shown here')).toBe(!isWhole)
    expect(asked.grant !== undefined).toBe(isWhole)
  },
)

test('[S13] a refusal by a person or the policy names its subject, without secrets', async () => {
  const { tools } = createNoteTools()
  expect(await tools.decide(EDIT, createCircumstances({ answer: { decision: 'refuse' } }))).toMatchObject({
    decided: { by: 'person', target: 'a.md' },
    outcome: { code: 'tool_denied', text: expect.stringContaining('The person refused') },
  })
  const outside = createCall('read_file', { path: '/etc/made-up-tides-key' })
  expect(await tools.decide(outside, createCircumstances())).toMatchObject({
    decided: { by: 'policy', target: '/etc/[secret TIDES]' },
  })
})

test('[S13] a call of an agent without tools says so', async () => {
  const verdict = await createPlannedRegistry({ target: 'a' }, []).decide(READ, createCircumstances())
  expect(verdict).toMatchObject({
    outcome: { text: 'There is no tool "read_file" here: this agent has none.' },
  })
})

test.each<[string, unknown, boolean, RawToolResult]>([
  ['that fails', new Error('no tide'), false, { kind: 'failed', code: 'tool_failed', text: 'no tide' }],
  ['that throws no error', 'no tide', false, { kind: 'failed', code: 'tool_failed', text: 'no tide' }],
  [
    'that is cancelled',
    new Error('aborted'),
    true,
    { kind: 'failed', code: 'cancelled', text: 'The call was cancelled.' },
  ],
])('[S12] the outcome of a call %s', async (_, failure, isCancelled, outcome) => {
  const tools = createPlannedRegistry({ target: 'a', carryOut: () => Promise.reject(failure) })
  const verdict = await tools.decide(READ, createCircumstances())
  const signal = isCancelled ? AbortSignal.abort() : new AbortController().signal
  if (verdict.kind !== 'allowed') throw new Error('it was not allowed')
  expect(await verdict.carryOut(signal)).toStrictEqual({ outcome })
})

const runWithText = async (text: string) => {
  const tools = createPlannedRegistry({ target: 'a', carryOut: async () => ({ kind: 'ok', text }) })
  return (await carriedOut(await tools.decide(READ, createCircumstances()))).outcome.text
}

test('[S12] the omitted part of a result can be read from its offset', async () => {
  expect(await runWithText('x\n'.repeat(2_001))).toMatch(
    /\[1 line, 2 bytes omitted; .* with from_line 1401\]/,
  )
  expect(await runWithText('x\n'.repeat(2_002))).toMatch(
    /\[2 lines, 4 bytes omitted; .* with from_line 1401\]/,
  )
  expect(await runWithText('x'.repeat(60_000))).toMatch(
    /\[1 line, 10000 bytes omitted; .* with from_character 35000\]/,
  )
})

test('[S12] pictures come with their result, and an empty text is not fenced', async () => {
  const media = [{ mediaType: 'image/png', bytes: new Uint8Array([1]) }] as never
  const said = { kind: 'ok', text: '', media } as const
  const tools = createPlannedRegistry({ target: 'a', origin: 'a.png', carryOut: async () => said })
  expect(await carriedOut(await tools.decide(READ, createCircumstances()))).toStrictEqual({
    outcome: { kind: 'ok', text: '' },
    media,
  })
})
