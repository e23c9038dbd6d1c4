import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionEvent } from '@parley/contracts'
import { createRunEventBus, createSessions, noTools } from '@parley/engine'
import {
  createAnswerScript,
  createMemorySessionStore,
  createScriptedModel,
  testAgent,
  createTestIds,
  testOwner,
} from '@parley/engine/testing'
import { createStyle } from '../render/display.ts'
import { screenAfter } from '../testing/terminal.ts'
import { createChat } from './chat.ts'
import { createAnswerPrinter, createTextFollower } from './print-answer.ts'
import { createToolPrinter } from './tool-printer.ts'

const token = (text: string, sequenceNumber: number) =>
  ({ type: 'agent:token', stepId: 'step', token: text, sequenceNumber }) as unknown as SessionEvent

/** The output for an answer in these pieces. */
async function printed(
  pieces: readonly string[],
  given: { isTerminal: boolean; markdown?: { links: boolean } },
) {
  const output = Object.assign(new PassThrough({ highWaterMark: 10_000_000 }), { columns: 40, rows: 20 })
  const printer = createAnswerPrinter(output, { style: createStyle(true), columns: 40, ...given })
  for (const [index, piece] of pieces.entries()) await printer.onEvent(token(piece, index + 1))
  await printer.end()
  return String(output.read() ?? '')
}

test.each([
  ['in a pipe', { isTerminal: false }],
  ['at a terminal', { isTerminal: true }],
  ['with Markdown', { isTerminal: true, markdown: { links: false } }],
])('%s a note ends the current line, and the answer continues below', async (_, given) => {
  const output = Object.assign(new PassThrough(), { columns: 40, rows: 20 })
  const display = { style: createStyle(false), columns: 40, ...given }
  const printer = createAnswerPrinter(output, display, {
    findNote: ({ sequenceNumber }) => (sequenceNumber === 3 ? 'a \x1bnote' : undefined),
    print: (note) => output.write(`[${note}]\r\n`),
  })
  for (const [index, piece] of ['One ', 'two', 'three ', 'four'].entries()) {
    await printer.onEvent(token(piece, index + 1))
  }
  await printer.end()
  const { lines } = screenAfter(String(output.read()).replaceAll(/\r?\n/g, '\r\n'))
  expect(lines).toEqual(['One two', '[a ␛note]', 'three four', ''])
})

const CALLED = [
  token('Let me look.', 1),
  { type: 'agent:tool_call', callId: 'one', call: { id: 'one', name: 'read_file', input: { path: 'a.md' } } },
  { type: 'agent:tool_decided', callId: 'one', tool: 'read_file', target: 'b.md', verdict: 'allowed' },
  { type: 'agent:tool_result', callId: 'one', outcome: { kind: 'ok', text: 'a line' } },
  { type: 'agent:tool_call', callId: 'two', call: { id: 'two', name: 'read_file', input: { path: 'c.md' } } },
  {
    type: 'agent:tool_result',
    callId: 'two',
    outcome: { kind: 'failed', code: 'tool_failed', text: 'Gone.' },
  },
  token('It says so.', 7),
] as unknown as readonly SessionEvent[]

test.each([
  ['in a pipe', { isTerminal: false }, '*'],
  ['at a terminal', { isTerminal: true }, '*'],
  ['with Markdown', { isTerminal: true, markdown: { links: false } }, '⏺'],
])('%s tool activity is between the steps of an answer', async (_, given, mark) => {
  const output = Object.assign(new PassThrough(), { columns: 40, rows: 20 })
  const display = { style: createStyle(false), columns: 40, ...given }
  const printer = createAnswerPrinter(output, display, {
    findNote: () => undefined,
    print: () => undefined,
    tools: createToolPrinter(output, display),
  })
  for (const event of CALLED) await printer.onEvent(event)
  await printer.end()
  const { lines } = screenAfter(String(output.read()).replaceAll(/\r?\n/g, '\r\n'))
  expect(lines).toEqual([
    'Let me look.',
    '',
    `${mark} read_file b.md`,
    '  a line',
    `${mark} read_file c.md`,
    '  failed: Gone.',
    '',
    'It says so.',
    '',
  ])
})

test('in a pipe each step of an answer starts a line', async () => {
  const output = new PassThrough()
  const printer = createAnswerPrinter(output, { style: createStyle(false), columns: 80, isTerminal: false })
  for (const event of CALLED) await printer.onEvent(event)
  await printer.end()
  expect(String(output.read())).toBe('Let me look.\nIt says so.\n')
})

const ANSWER =
  '# Title\n\nSome **bold** text that is longer than one row of this screen.\n\n```js\nlet a = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
const cut = (text: string) => text.match(/[^]{1,3}/g) ?? []

test('in a pipe the answer is unchanged', async () => {
  expect(await printed(cut(ANSWER), { isTerminal: false })).toBe(ANSWER)
})

test('without colours the answer is only wrapped between words', async () => {
  const text = await printed(cut(ANSWER), { isTerminal: true })
  expect(text.replace(/\s+/g, ' ')).toBe(ANSWER.replace(/\s+/g, ' '))
  expect(text).not.toContain('\x1b')
})

test('on a screen, Markdown is rendered once and in order', async () => {
  const written = await printed(cut(ANSWER), { isTerminal: true, markdown: { links: false } })
  expect(screenAfter(written).lines).toEqual([
    'Title',
    '',
    'Some bold text that is longer than one',
    'row of this screen.',
    '',
    '  js',
    '  let a = 1',
    '',
    'a │ b',
    '──┼──',
    '1 │ 2',
    '',
  ])
  expect(written).toContain('\x1b[35mlet')
})

test('the output of a model never controls the terminal, however it is split', async () => {
  const evil = fc.constantFrom(
    '\x1b[2J',
    '\x1b]0;x\x07',
    '\x9b31m',
    '\r',
    '\b',
    '**',
    '`',
    '[a](',
    'https://a.b',
    ')',
    ' ',
    '\n',
    '\u202e',
    'word',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(evil, { maxLength: 30 }), async (pieces) => {
      const written = await printed(cut(pieces.join('')), { isTerminal: true, markdown: { links: true } })
      // oxlint-disable-next-line no-control-regex -- what we write ourselves
      const rest = written.replace(/\x1b\[\d*[mAKJ]|\x1b\]8;;[\x21-\x7e]*\x1b\\|\r\n|\r/g, '')
      // oxlint-disable-next-line no-control-regex -- what must never come through
      expect(rest).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202e]/)
      expect(['\x1b[2J', '\x1b[31m'].filter((code) => written.includes(code))).toEqual([])
    }),
  )
})

test('a long answer is not rewritten with every word', async () => {
  const answer = Array.from({ length: 200 }, (_, index) => `Line ${index} has *some* words to say.\n`).join(
    '',
  )
  const written = await printed(cut(answer), { isTerminal: true, markdown: { links: false } })
  expect(written.length).toBeLessThan(answer.length * 8)
})

const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ')

test.each([1, 7, 1_000])('[S6] a reader with room for %i events gets the whole answer once', async (held) => {
  const sessions = createSessions({
    store: createMemorySessionStore(),
    eventBus: createRunEventBus({ limits: { events: held, bytes: Number.POSITIVE_INFINITY } }),
    clock: { now: Date.now },
    ids: createTestIds(),
    getModel: () =>
      createScriptedModel([
        [
          { type: 'reasoning', text: 'Hm. ' },
          ...createAnswerScript('First.').slice(0, -1),
          { type: 'reasoning', text: 'So ' },
          ...createAnswerScript(words),
        ],
      ]),
    getTools: () => noTools,
  })
  const chat = createChat(sessions, {
    openSession: () =>
      sessions.start({
        ownerId: testOwner,
        channel: 'text',
        agent: testAgent,
        context: { workingDir: '/', fsScopeTier: 'sandboxed' },
      }),
    after: 0,
  })
  const follow = createTextFollower()
  const numbers: number[] = []
  let said = ''
  const onEvent = async (event: SessionEvent) => {
    said += follow(event)
    numbers.push(event.sequenceNumber)
    for (let turns = 0; turns < numbers.length % 5; turns += 1) await Promise.resolve()
  }
  const end = await chat.perform({ kind: 'say', text: 'Say it all.' }, onEvent)
  expect(said).toBe(`First.${words}`)
  expect(end).toMatchObject({ stopReason: 'completed' })
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
})
