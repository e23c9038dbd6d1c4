import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import type { CallId } from '@parley/contracts'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Asking } from './session-state.ts'
import { TurnView } from './turn-view.tsx'

const call = { id: 'call-1' as CallId, name: 'read_file', input: { path: 'notes.md' } }
const tool = (outcome?: Extract<AnswerPart, { kind: 'tool' }>['outcome']): AnswerPart => ({
  kind: 'tool',
  call,
  ...(outcome && { outcome }),
})

const page = (turn: Partial<TranscriptTurn>, asking: Asking = { kind: 'nothing' }) =>
  renderToStaticMarkup(
    createElement(TurnView, {
      turn: { key: 1, parts: [], state: 'completed', ...turn },
      agent: 'helper',
      asking,
      actions: undefined,
    }),
  )

const summaryOf = (html: string) => /<summary[^>]*>(.*?)<\/summary>/.exec(html)?.[1]?.replace(/<[^>]*>/g, '')

const waitsFor = { callId: call.id, tool: call.name, target: 'notes.md' }

test.each<[string, Partial<TranscriptTurn>]>([
  ['running…', { parts: [tool()], state: 'running' }],
  ['waits for you', { parts: [tool()], state: 'waiting', waitsFor }],
  ['without a result', { parts: [tool()], state: 'interrupted' }],
  ['done', { parts: [tool({ kind: 'ok', text: 'pears' })] }],
  ['refused', { parts: [tool({ kind: 'failed', code: 'tool_denied', text: 'no' })] }],
  ['failed', { parts: [tool({ kind: 'failed', code: 'tool_failed', text: 'no' })] }],
])('[S12] a call in one line: %s', (progress, turn) => {
  expect(summaryOf(page(turn))).toBe(`Tool read_file notes.md: ${progress}`)
})

test('[S12] a result is text, with what is unseen written out', () => {
  const html = page({ parts: [tool({ kind: 'ok', text: '<script>alert(1)</script>\u202Etxt' })] })
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}txt')
})

test('[S13] the input of a call that waits is open only where nothing shows better what it would do', () => {
  const preview = { kind: 'text', text: 'Reads all of it.' } as const
  expect(page({ parts: [tool()], state: 'waiting', waitsFor })).toContain('<details open=""')
  expect(page({ parts: [tool()], state: 'waiting', waitsFor: { ...waitsFor, preview } })).not.toContain(
    '<details open=""',
  )
})

test('[S13] that an answer came too late is said after the call is gone', () => {
  const html = page({ parts: [tool()], state: 'running' }, { kind: 'overtaken', reason: 'Not used.' })
  expect(html).toMatch(/role="alert".*Not used\./)
})
