import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { WaitingCall } from '@parley/api-client'
import type { CallId } from '@parley/contracts'
import type { TurnRequest } from './session-state.ts'
import { WaitingCallView, parseDiff } from './waiting-call.tsx'

const CALL: WaitingCall = { callId: 'call-1' as CallId, tool: 'write_file', target: 'notes.md' }

const renderCall = (call: Partial<WaitingCall>, request: TurnRequest = { kind: 'none' }) =>
  renderToStaticMarkup(
    createElement(WaitingCallView, { call: { ...CALL, ...call }, request, onDecide: () => undefined }),
  )

const listButtons = (html: string) =>
  [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, name]) => name)

test('[S13] "for this session" is offered only if allowed, with its scope', () => {
  expect(listButtons(renderCall({}))).toEqual(['Allow once', 'Refuse'])
  const html = renderCall({ grant: { tool: 'write_file', target: 'notes.md' } })
  expect(listButtons(html)).toEqual(['Allow once', 'Allow for this session', 'Refuse'])
  expect(html.replace(/<[^>]*>/g, '')).toContain(
    '“Allow for this session” permits write_file on exactly notes.md without asking again',
  )
})

test('[S13] a diff is marked by signs and not by colour alone', () => {
  const html = renderCall({ preview: { kind: 'diff', text: '@@ -1 +1 @@\n-old\n+new\n' } })
  expect(html).toMatch(/<del data-line="removed"[^>]*><span[^>]*>−<\/span><span[^>]*>old<\/span><\/del>/)
  expect(html).toMatch(/<ins data-line="added"[^>]*><span[^>]*>\+<\/span><span[^>]*>new<\/span><\/ins>/)
  expect(html).toContain('aria-label="Proposed change" tabindex="0"')
})

test.each(['diff', 'text'] as const)(
  '[S13] a preview as %s is plain text with invisible characters escaped',
  (kind) => {
    const html = renderCall({ preview: { kind, text: '+<img src=x onerror=alert(1)>\u202Etxt.exe\u200B' } })
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;\\u{202e}txt.exe\\u{200b}')
    expect(html).not.toContain('<img')
  },
)

test('[A3] the reason for a refused decision is shown in place', () => {
  const reason = 'This needs the role operator; your token has viewer.'
  expect(renderCall({}, { kind: 'refused', reason })).toMatch(
    new RegExp(`role="alert"[^>]*>\\s*<p[^>]*>${reason.replace('.', '\\.')}`),
  )
})

const MARKS = { added: '+', removed: '-', same: '=', about: '#' } as const

const parseAndMark = (diff: string) => parseDiff(diff).map(({ kind, text }) => `${MARKS[kind]}${text}`)

test.each<[string, readonly string[], readonly string[]]>([
  [
    'a change',
    ['--- a/notes.md', '+++ b/notes.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+three'],
    ['#--- a/notes.md', '#+++ b/notes.md', '#@@ -1,2 +1,2 @@', '=one', '-two', '+three'],
  ],
  [
    'lines that look like file names or hunk headers',
    ['--- a/x', '+++ b/x', '@@ -1,2 +1,3 @@', '--- drop', '+++ i', ' @@ -1 +1 @@', '+diff --git a b'],
    ['#--- a/x', '#+++ b/x', '#@@ -1,2 +1,3 @@', '--- drop', '+++ i', '=@@ -1 +1 @@', '+diff --git a b'],
  ],
  [
    'two files',
    [
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '-1',
      '+2',
      'diff --git a/y b/y',
      '--- a/y',
      '+++ b/y',
      '@@ -0,0 +1 @@',
      '+3',
    ],
    [
      '#--- a/x',
      '#+++ b/x',
      '#@@ -1 +1 @@',
      '-1',
      '+2',
      '#diff --git a/y b/y',
      '#--- a/y',
      '#+++ b/y',
      '#@@ -0,0 +1 @@',
      '+3',
    ],
  ],
  [
    'an omitted middle',
    ['@@ -1,90 +1,90 @@', '-1', '', '… 80 lines are not shown here …', '--- 2', '@@ -95 +95 @@', '+3'],
    ['#@@ -1,90 +1,90 @@', '-1', '=', '#… 80 lines are not shown here …', '--- 2', '#@@ -95 +95 @@', '+3'],
  ],
  [
    'no line end at the end',
    ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+b'],
    ['#@@ -1 +1 @@', '-a', '#\\ No newline at end of file', '+b'],
  ],
  [
    'words before the diff',
    ['x was UTF-16, and becomes UTF-8.', '--- a/x'],
    ['#x was UTF-16, and becomes UTF-8.', '#--- a/x'],
  ],
])('[S13] %s', (_, lines, expected) => {
  expect(parseAndMark(`${lines.join('\n')}\n`)).toEqual(expected)
})

test('[S13] added and removed lines of a hunk are always marked', () => {
  const words = fc.constantFrom('', '-- a/x', '++ b/x', '@ -1 +1 @@', ' x', 'diff --git a b', '… 3 lines')
  const line = fc.tuple(fc.constantFrom('+', '-', ' '), words).map(([mark, text]) => mark + text)
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => {
      const count = (but: string) => lines.filter((each) => !each.startsWith(but)).length
      const head = `@@ -1,${count('+')} +1,${count('-')} @@`
      const marked = parseAndMark([head, ...lines].join('\n')).slice(1)
      expect(marked.map((each) => each.replace(/^=/, ' '))).toEqual(lines)
    }),
  )
})
