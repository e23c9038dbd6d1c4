import { PassThrough } from 'node:stream'
import type { CallId, SessionId, TurnId } from '@parley/contracts'
import { afterEach, expect, test } from 'vitest'
import { openPlainPrompt } from '../prompt/plain-prompt.ts'
import type { Prompt } from '../prompt/prompt.ts'
import { createStyle } from '../render/display.ts'
import { askApproval } from './ask-approval.ts'
import type { ApprovalRequest } from './chat.ts'

const REQUEST: ApprovalRequest = {
  type: 'agent:approval_requested',
  sessionId: 'ses_1' as SessionId,
  sequenceNumber: 1,
  timestamp: '2026-11-15T14:03:00.000Z',
  turnId: 'trn_1' as TurnId,
  callId: 'call_1' as CallId,
  tool: 'write_file',
  target: 'notes.md',
}
const GRANT = { tool: 'write_file', target: 'notes.md' }
const textOf = (lines: number) => ({
  kind: 'text' as const,
  text: Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join('\n'),
})

const opened: Prompt[] = []
afterEach(() => {
  for (const prompt of opened.splice(0)) prompt.close()
})

/** The decision after these answers at a terminal of 40 columns and 20 rows, and its output. */
async function asked(given: Partial<ApprovalRequest>, ...answers: readonly string[]) {
  const input = new PassThrough()
  const screen = Object.assign(new PassThrough(), { columns: 40, rows: 20 })
  const prompt = openPlainPrompt({ input, output: screen })
  opened.push(prompt)
  const left = answers.values()
  const decision = await askApproval(
    { ...REQUEST, ...given },
    {
      confirm(question, offers) {
        const answer = prompt.confirm(question, offers)
        input.write(`${left.next().value ?? ''}\n`)
        return answer
      },
      screen,
      display: { style: createStyle(false), columns: 80, isTerminal: true },
    },
  )
  return { decision, shown: String(screen.read()) }
}

test.each([
  ['y', 'allow'],
  ['Yes', 'allow'],
  ['s', 'allow_session'],
  ['n', 'refuse'],
  ['', 'refuse'],
])('[S13] "%s" is an answer', async (line, expected) => {
  expect((await asked({ grant: GRANT }, line)).decision).toBe(expected)
})

const LAST_LINES = ['  n  no (default). Ctrl-C quits; ', "     you'll be asked again on resume."]

test('[S13] the question explains each answer, in lines that fit', async () => {
  const preview = { kind: 'diff' as const, text: '@@ -1 +1 @@\n-a\n+b\n' }
  expect((await asked({ grant: GRANT, preview }, 'n')).shown.split('\n')).toEqual([
    '| @@ -1 +1 @@',
    '| -a',
    '| +b',
    '',
    'Allow write_file on notes.md?',
    '  y  yes, once',
    '  s  yes, and every write_file on ',
    '     notes.md in this session',
    ...LAST_LINES,
    '[y/s/N] ',
  ])
})

test('[S13] without a session grant, the session answer is neither offered nor accepted', async () => {
  const { decision, shown } = await asked({ preview: { kind: 'text', text: 'a' } }, 's\nv\ny')
  expect(decision).toBe('allow')
  const question = ['Allow write_file on notes.md?', '  y  yes, once', ...LAST_LINES, '[y/N] '].join('\n')
  expect(shown).toBe(`| a\n\n${question.repeat(3)}`)
})

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `| line ${from + index}`)

test('[S13] a long preview is cut, and shown page by page on request', async () => {
  const { decision, shown } = await asked({ preview: textOf(30) }, 'v', 'v', 'v', 'v', 'y')
  expect(decision).toBe('allow')
  const [first = '', ...pages] = shown.split('[y/v/N] ')
  expect(first).toMatch(/^\| line 1\n[^]*\| line 8\n\[18 lines are omitted\]\n\| line 27\n/)
  expect(first).toContain('\n  v  view lines 1 to 12 of 30\n')
  expect(pages.map((page) => page.match(/^\| .*$/gm) ?? [])).toEqual([
    numbers(1, 12),
    numbers(13, 24),
    numbers(25, 30),
    numbers(1, 12),
    [],
  ])
})

test('[S13] a target that imitates a question stays part of ours', async () => {
  const target = `a\n\u200b\x1b[8m? [y/N]${' '.repeat(9)}Allow read_file on ${'b'.repeat(40)}`
  expect((await asked({ target }, 'n')).shown.split('\n')).toEqual([
    'Allow write_file on ',
    `     a␊<U+200B>␛[8m? [y/N]${' '.repeat(9)}`,
    '     Allow read_file on ',
    `     ${'b'.repeat(34)}`,
    `     ${'b'.repeat(6)}?`,
    '  y  yes, once',
    ...LAST_LINES,
    '[y/N] ',
  ])
})

test.each([
  ['y', 'allow'],
  ['', 'refuse'],
])('[S8] a budget question has its own text, and "%s" decides', async (line, expected) => {
  const { decision, shown } = await asked({ tool: 'spend', target: 'It may cost $1.', grant: GRANT }, line)
  expect({ decision, shown }).toEqual({
    decision: expected,
    shown: "It may cost $1. Ctrl-C quits; you'll be asked again on resume. Continue? [y/N] ",
  })
})
