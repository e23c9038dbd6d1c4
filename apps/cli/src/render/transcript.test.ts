import type { CallId, MessageId, SessionId, SessionMessage } from '@parley/contracts'
import { reconstructSessionState } from '@parley/engine'
import { expect, test } from 'vitest'
import { formatLocalTime } from './output.ts'
import { createStyle } from './display.ts'
import { renderMarkdown } from './markdown/markdown.ts'
import { renderTurns } from './transcript.ts'

const AT = '2026-11-15T14:03:00.000Z'
const display = { agent: 'Helper', style: createStyle(false) }

const message = (
  role: SessionMessage['role'],
  text: string,
  given: Partial<SessionMessage> = {},
): SessionMessage => ({
  id: 'msg_1' as MessageId,
  sessionId: 'ses_1' as SessionId,
  sequenceNumber: 1,
  role,
  content: [{ type: 'text', text }],
  timestamp: AT,
  ...given,
})
const rendered = (messages: readonly SessionMessage[], given = {}) =>
  renderTurns(reconstructSessionState(messages), { ...display, ...given })

const when = formatLocalTime(AT)

test('a turn is a question and its answer', () => {
  expect(rendered([message('user', 'Hello'), message('assistant', 'Hi.')])).toBe(
    `You  ${when}\nHello\n\nHelper  ${when}\nHi.\n`,
  )
})

test('[X1] messages of another person show that person’s name, not "You"', () => {
  const text = rendered([message('user', 'Hello'), message('assistant', 'Hi.')], { user: 'Visitor\u001b[2J' })
  expect(text).toContain('Visitor')
  expect(text).not.toContain('You')
  expect(text).not.toContain('\u001b')
})

test('[S11] a fallback model is named next to the agent', () => {
  const answer = message('assistant', 'Hi.', { modelId: 'spare' })
  expect(rendered([message('user', 'Hello'), answer], { model: 'large' })).toContain(
    `Helper (spare)  ${when}\n`,
  )
  expect(rendered([message('user', 'Hello'), answer], { model: 'spare' })).toContain(`Helper  ${when}\n`)
})

test.each([
  ['compacted', '[from here the model reads a summary of earlier messages]'],
  ['trimmed', '[from here earlier messages are not sent to the model]'],
] as const)('[S17] a single dim line reports that messages were %s', (kind, line) => {
  const marker = message('system', 'They spoke of Oslo.', { marker: { kind, uptoSequence: 1 } })
  const turn = {
    messages: [message('user', 'Hello'), message('assistant', 'Hi.'), marker],
    outcome: 'completed' as const,
  }
  const text = renderTurns([turn], display)
  expect(text).toContain(`Hi.\n\n${line}\n`)
  expect(text).not.toContain('They spoke')
})

test('[S4] a stopped answer is marked, and its turn counts', () => {
  const text = rendered([message('user', 'Hello'), message('assistant', 'Hi th', { cutShort: 'cancelled' })])
  expect(text).toContain('Hi th\n[stopped]')
  expect(text).not.toContain('[no answer')
})

test('[S4] a broken answer is marked, and its turn counts as unanswered', () => {
  const text = rendered([message('user', 'Hello'), message('assistant', 'Hi th', { cutShort: 'failed' })])
  expect(text).toContain('Hi th\n[cut off]\n\n[no answer')
})

test.each([
  ['without an open turn', undefined, '[no answer; not sent to the model]'],
  ['while an answer runs', 'running', '[answer running]'],
  ['while a call waits', 'waiting', '[waiting for your approval]'],
  ['after a crash', 'interrupted', '[interrupted before an answer]'],
])('[S4] an unanswered message is marked, %s', (_, open, mark) => {
  const earlier = [message('user', 'One'), message('assistant', 'Bro', { cutShort: 'failed' })]
  const text = rendered([...earlier, message('user', 'Hello')], { open })
  expect(text).toContain(`Bro\n[cut off]\n\n[no answer; not sent to the model]\n`)
  expect(text.endsWith(`Hello\n\n${mark}\n`)).toBe(true)
})

test('files are named, not printed', () => {
  const said = 'When?\n\n<file path="notes.md">\none\ntwo\n</file>'
  expect(rendered([message('user', said)])).toContain('When?\n[file notes.md, 2 lines]\n')
})

const read = (id: string, path: string) => ({
  type: 'tool_call' as const,
  call: { id: id as CallId, name: 'read_file', input: { path } },
})

test('a call is one line with its outcome below', () => {
  const text = rendered([
    message('user', 'Look'),
    message('assistant', '', {
      content: [{ type: 'text', text: 'Both.' }, read('one', 'a.md'), read('two', '\x1b[2Jb.md')],
    }),
    message('tool', '', {
      content: [
        {
          type: 'tool_result',
          callId: 'one' as CallId,
          outcome: { kind: 'failed', code: 'tool_denied', text: 'Not that one.' },
        },
      ],
    }),
    message('tool', '', {
      content: [
        { type: 'tool_result', callId: 'two' as CallId, outcome: { kind: 'ok', text: 'B\nB\n' } },
        { type: 'media', handle: 'media://sha256-0', mediaType: 'image/png' },
      ],
    }),
    message('assistant', 'I see.'),
  ])
  expect(text).toBe(
    `You  ${when}\nLook\n\nHelper  ${when}\nBoth.\n* read_file a.md\n  refused: Not that one.\n` +
      `* read_file ␛[2Jb.md\n  2 lines\n\nTool  ${when}\n[image/png]\n\nHelper  ${when}\nI see.\n`,
  )
})

test('[S12] tool output is whole on request', () => {
  const call = { id: 'one' as CallId, name: 'read_file', input: { path: 'a.md' } }
  const messages = [
    message('user', 'Look'),
    message('assistant', '', { content: [{ type: 'tool_call', call }] }),
    message('tool', '', {
      content: [{ type: 'tool_result', callId: call.id, outcome: { kind: 'ok', text: 'low\n\nhigh\n' } }],
    }),
    message('assistant', 'I see.'),
  ]
  expect(rendered(messages)).toContain('* read_file a.md\n  3 lines\n')
  expect(rendered(messages, { results: 'whole' })).toContain('* read_file a.md\n  low\n  \n  high\n')
})

test('[S13] a waiting call has no outcome line', () => {
  const call = { id: 'one' as CallId, name: 'git_commit', input: { message: 'Done' } }
  const said = message('assistant', '', { content: [{ type: 'tool_call', call }] })
  expect(rendered([message('user', 'Go'), said], { open: 'waiting' })).toContain(
    '* git_commit Done\n\n[waiting for your approval]\n',
  )
})

test('control characters are shown, not executed', () => {
  const text = rendered([message('user', '\x1b[2Jhi'), message('assistant', '\x9b31m\x07')], {
    agent: '\x1b]0;x\x07',
  })
  // oxlint-disable-next-line no-control-regex -- what must never come through
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
})

test('a long message is cut on request', () => {
  const long = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
  const text = rendered([message('user', 'Go'), message('assistant', long)], { maxLines: 5 })
  expect(text).toContain('line 3\n[and 26 more lines]\n')
  expect(text).not.toContain('line 4')
})

test('answers are rendered as Markdown, and user messages are shown as written', () => {
  const text = rendered([message('user', '**Why?**'), message('assistant', '**So.**\n- a')], {
    columns: 40,
    markdown: { links: false, render: renderMarkdown },
  })
  expect(text).toContain('**Why?**\n')
  expect(text).toContain('\x1b[1mSo.\x1b[22m\n\x1b[36m• \x1b[39ma\n')
})
