import type { SessionId } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { listOffered, runSlash } from './run-slash.ts'
import type { SlashHost } from './slash-host.ts'

const SESSION = 'ses_abc' as SessionId

/** A host with every command that records its calls. */
function fakeHost(given: Partial<SlashHost> = {}) {
  const asked: unknown[] = []
  const host: SlashHost = {
    context: async () => ({
      sessionId: SESSION,
      title: 'Oslo',
      agent: 'Helper',
      model: 'small',
      workingDir: '/work',
      fsScope: 'project',
      tools: ['read_file', 'git_status', 'git_commit'],
      messages: 4,
      contextUsed: 0.123,
    }),
    files: async () => ['notes.md', 'my file.txt'],
    grants: async () => [
      { tool: 'write_file', target: 'a.md' },
      { tool: 'mcp_call', target: 'files/\nread', pin: '0a1b' },
    ],
    lastResult: async () => ({ call: { tool: 'read_file', input: { path: 'a.md' } }, text: 'one\ntwo\n' }),
    rename: async (title) => void asked.push({ title }),
    async fork(named) {
      asked.push({ named })
      return { sessionId: 'ses_new' as SessionId, from: SESSION, agent: named ?? 'Helper', model: 'small' }
    },
    cancel: async () => false,
    models: async () => [
      { name: 'a/small', inUse: true },
      { name: 'b/large', inUse: false },
      { name: 'c', inUse: false, note: 'it does not respond' },
    ],
    async useModel(named) {
      asked.push({ model: named })
      return { name: named, sessionId: SESSION }
    },
    cost: async () => ({ 'a/small': { inputTokens: 1_200, outputTokens: 30, microcents: 1_230_000 } }),
    compact: async () => ({ messagesBefore: 40, messagesAfter: 5 }),
    async trim(keep) {
      asked.push({ keep })
      return { messagesBefore: 40, messagesAfter: keep }
    },
    async export(path) {
      asked.push({ path })
      return { path: path ?? '/projects/oslo.yaml' }
    },
    ...given,
  }
  return { host, asked }
}

const bare: SlashHost = {
  context: async () => ({
    agent: 'Helper',
    model: 'small',
    workingDir: '/work',
    fsScope: 'sandboxed',
    tools: [],
    messages: 0,
  }),
  files: async () => [],
}
const failing = async (text: string) => ({ kind: 'failed' as const, text, reason: 'It is not there.' })
const edit = async (text: string) => ({ kind: 'edited' as const, text: `${text}, edited` })

const lines = async (text: string, host: SlashHost = fakeHost().host) => {
  const result = await runSlash(text, { host, edit })
  return result.kind === 'reply' ? result.lines.join('\n') : result
}

test.each([
  [
    '/context',
    'session   ses_abc\ntitle     Oslo\nagent     Helper\nmodel     small\nfolder    /work · project · tools: git, read_file\ntools     read_file, git_status, git_commit\nmessages  4\nfiles     notes.md, my file.txt\ncontext   12 % used',
  ],
  ['/grants', 'write_file on a.md\nmcp_call on files/␊read'],
  ['/last', 'read_file a.md\none\ntwo'],
  ['/last 2', 'read_file a.md\n[there is 1 page]'],
  ['/files', 'notes.md\nmy file.txt'],
  ['/cost', 'a/small: $0.0123 (1,200 tokens in, 30 out)'],
  ['/model', '* a/small\n  b/large\n  c: it does not respond\n/model NAME switches to another one.'],
  ['/model b/large', 'Using b/large. This is a new session, ses_abc, with the same past.'],
  ['/compact', 'The model now gets 5 of 40 messages. A summary replaces the others.'],
  ['/trim 7', 'The model now gets 7 of 40 messages. Everything stays saved and visible.'],
  ['/trim 90', 'There was nothing to trim.'],
  ['/export', 'Written to /projects/oslo.yaml.'],
  ['/title  Letters to Oslo ', 'The title is now "Letters to Oslo".'],
  [
    '/fork',
    'This is now a new session, ses_new, with the same past as ses_abc.\nUsing Helper (model small).',
  ],
  ['/cancel', 'No answer is running. Ctrl-C stops one in this terminal.'],
])('%s', async (text, expected) => {
  expect(await lines(text)).toBe(expected)
})

test('the argument of a command is passed on', async () => {
  const { host, asked } = fakeHost()
  for (const text of ['/title A  B', '/fork other', '/trim 3', '/export a b.yaml', '/MODEL x']) {
    await runSlash(text, { host })
  }
  expect(asked).toEqual([
    { title: 'A  B' },
    { named: 'other' },
    { keep: 3 },
    { path: 'a b.yaml' },
    { model: 'x' },
  ])
})

test('/last shows a long output page by page', async () => {
  const text = Array.from({ length: 450 }, (_, index) => `line ${index + 1}`).join('\n')
  const { host } = fakeHost({ lastResult: async () => ({ call: { tool: 'run_command' }, text }) })
  const shown = async (command: string) => {
    const result = await runSlash(command, { host })
    return result.kind === 'reply' ? result.lines : []
  }
  const first = await shown('/last')
  expect(first).toHaveLength(202)
  expect(first.at(-1)).toBe('[page 1 of 3; next: /last 2]')
  const third = await shown('/last 3')
  expect([third[1], third.at(-2), third.at(-1)]).toEqual(['line 401', 'line 450', '[page 3 of 3]'])
})

test('/last and /grants say that there is nothing yet', async () => {
  const { host } = fakeHost({ grants: async () => [], lastResult: async () => undefined })
  expect(await lines('/grants', host)).toContain('Nothing is approved')
  expect(await lines('/last', host)).toContain('No tool')
})

test.each(['/quit', '/exit'])('%s quits', async (text) => {
  expect(await lines(text)).toEqual({ kind: 'quit' })
})

test('/edit returns the text to the prompt; a failed editor is reported', async () => {
  expect(await lines('/edit so')).toEqual({ kind: 'draft', text: 'so, edited' })
  expect(await runSlash('/edit so', { host: bare, edit: failing })).toEqual({
    kind: 'draft',
    text: 'so',
    notice: 'It is not there.',
  })
})

describe('an unavailable command', () => {
  test.each([
    ['/hlep', '; did you mean /help?'],
    ['/mod', '; did you mean /model?'],
    ['/xyzzy', '/xyzzy. /help lists them.'],
    ['/usr/bin/env is what?', 'write two: //usr/bin/env'],
  ])('%s is answered with a hint', async (text, expected) => {
    expect(await lines(text)).toEqual(expect.stringContaining(expected))
  })

  test.each([
    ['/trim', 'needs the number of messages'],
    ['/trim all', 'needs the number of messages'],
    ['/title', 'must not be empty'],
    ['/last x', 'a page number'],
    ['/last 0', 'a page number'],
  ])('%s is refused', async (text, expected) => {
    await expect(lines(text)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining(expected),
    })
  })

  test('is neither listed nor run', async () => {
    expect(listOffered({ host: bare }).map(({ name }) => name)).toEqual(['help', 'context', 'files', 'quit'])
    const listed = await runSlash('/help', { host: bare })
    expect(listed).toMatchObject({
      kind: 'reply',
      lines: expect.not.arrayContaining([expect.stringContaining('/cost')]),
    })
    expect(await runSlash('/cost', { host: bare })).toMatchObject({
      lines: [expect.stringContaining('There is no command /cost')],
    })
  })
})

test('/help lists every command with its effect, in lines that fit', async () => {
  const helped = await runSlash('/help', { host: fakeHost().host, edit })
  const listed = helped.kind === 'reply' ? helped.lines.join('\n') : ''
  for (const { name, summary } of listOffered({ host: fakeHost().host, edit })) {
    expect(listed).toMatch(new RegExp(`^/${name}[ \\[A-Z\\]]*  ${summary}$`, 'm'))
  }
  for (const line of listed.split('\n').filter((each) => each.startsWith('/') && !each.startsWith('//'))) {
    expect(line.length).toBeLessThan(80)
  }
})
