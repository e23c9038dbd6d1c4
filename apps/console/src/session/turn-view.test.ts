import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import type { CallId, MessageId, PersonId, Role, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type ConsoleHost, ConsoleHostContext } from '../app/console-host.ts'
import type { TurnRequest } from './session-state.ts'
import { TurnView } from './turn-view.tsx'

const call = { id: 'call-1' as CallId, name: 'read_file', input: { path: 'notes.md' } }
const tool = (outcome?: Extract<AnswerPart, { kind: 'tool' }>['outcome']): AnswerPart => ({
  kind: 'tool',
  call,
  ...(outcome && { outcome }),
})

const renderTurn = (turn: Partial<TranscriptTurn>, request: TurnRequest = { kind: 'none' }) =>
  renderToStaticMarkup(
    createElement(TurnView, {
      turn: { key: 1, parts: [], state: 'completed', ...turn },
      agent: 'helper',
      person: 'Visitor',
      request,
      actions: undefined,
    }),
  )

const findSummary = (html: string) =>
  /<summary[^>]*>(.*?)<\/summary>/.exec(html)?.[1]?.replace(/<[^>]*>/g, '')

const waitsFor = { callId: call.id, tool: call.name, target: 'notes.md' }

test.each<[string, Partial<TranscriptTurn>]>([
  ['running…', { parts: [tool()], state: 'running' }],
  ['waiting for you', { parts: [tool()], state: 'waiting', waitsFor }],
  ['no result', { parts: [tool()], state: 'interrupted' }],
  ['done', { parts: [tool({ kind: 'ok', text: 'pears' })] }],
  ['refused', { parts: [tool({ kind: 'failed', code: 'tool_denied', text: 'no' })] }],
  ['failed', { parts: [tool({ kind: 'failed', code: 'tool_failed', text: 'no' })] }],
])('[S12] a call in one line: %s', (progress, turn) => {
  expect(findSummary(renderTurn(turn))).toBe(`Tool read_file notes.md: ${progress}`)
})

test('[S12] search results show text and source, with the raw result behind them', () => {
  const text = JSON.stringify({
    evidence: [{ text: '## Otherwise\n\nI drink **tea**.', source: 'Curriculum vitae' }],
  })
  const lookUp = { ...call, name: 'retrieve-context', input: { query: 'What do you drink?' } }
  const html = renderTurn({ parts: [{ kind: 'tool', call: lookUp, outcome: { kind: 'ok', text } }] })
  expect(findSummary(html)).toBe('Searched “What do you drink?”: done')
  const [words = '', told = ''] = html.split('Raw result')
  expect(words).toMatch(/“Otherwise\n\nI drink tea\.”.*Curriculum vitae/s)
  expect(words).not.toContain('evidence')
  expect(told).toContain('evidence')
})

const typed: SessionMessage = {
  id: 'msg_1' as MessageId,
  sessionId: 'ses_1' as SessionId,
  sequenceNumber: 1,
  role: 'user',
  content: [{ type: 'text', text: 'Where?' }],
  turnId: 'trn_1' as TurnId,
  timestamp: '2026-01-01T12:00:00.000Z',
}
const { turnId: _, ...spoken } = typed

test.each<[string, SessionMessage, readonly AnswerPart[]]>([
  ['Stopped.', typed, []],
  ['Interrupted before it was heard.', spoken, []],
  ['Interrupted before it was heard.', spoken, [tool({ kind: 'ok', text: 'pears' })]],
  ['Interrupted here.', spoken, [{ kind: 'text', text: 'In…' }]],
])('[V16] how an answer ended early: %s', (words, question, parts) => {
  expect(renderTurn({ question, parts, state: 'cancelled' })).toContain(words)
})

test('[S12] a result is plain text with invisible characters escaped', () => {
  const html = renderTurn({ parts: [tool({ kind: 'ok', text: '<script>alert(1)</script>\u202Etxt' })] })
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}txt')
})

test('[S13] the input of a waiting call is open only without a preview', () => {
  const preview = { kind: 'text', text: 'Reads all of it.' } as const
  expect(renderTurn({ parts: [tool()], state: 'waiting', waitsFor })).toContain('<details open=""')
  expect(renderTurn({ parts: [tool()], state: 'waiting', waitsFor: { ...waitsFor, preview } })).not.toContain(
    '<details open=""',
  )
})

test.each<[Role, boolean]>([
  ['owner', true],
  ['operator', true],
  ['viewer', false],
])('[A3] a waiting call is offered to roles that may decide: %s', (role, isPending) => {
  const me = { personId: 'per_1' as PersonId, label: 'Ada', role }
  const actions = { send: () => undefined, continueTurn: () => undefined, decide: () => undefined }
  const turn = { key: 1, parts: [tool()], state: 'waiting', waitsFor } as const
  const request = { kind: 'none' } as const
  const view = createElement(TurnView, { turn, agent: 'helper', person: 'You', request, actions })
  const html = renderToStaticMarkup(createElement(ConsoleHostContext, { value: { me } as ConsoleHost }, view))
  expect(html.includes('Allow once')).toBe(isPending)
  expect(html.includes('only operators and above can approve')).toBe(!isPending)
})

test('[S13] a late answer is reported after the call is gone', () => {
  const html = renderTurn({ parts: [tool()], state: 'running' }, { kind: 'overtaken', reason: 'Not used.' })
  expect(html).toMatch(/role="alert".*Not used\./)
})

test('a question is labelled with its author', () => {
  const question = {
    role: 'user',
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text: 'Hello' }],
  } as unknown as SessionMessage
  const html = renderTurn({ question })
  expect(html).toContain('aria-label="Visitor"')
  expect(html).not.toContain('You')
})
