import type { WaitingCall } from '@parley/api-client'
import type { CallId } from '@parley/contracts'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Asking } from './session-state.ts'
import { WaitingCallView } from './waiting-call.tsx'

const CALL: WaitingCall = { callId: 'call-1' as CallId, tool: 'write_file', target: 'notes.md' }

const page = (call: Partial<WaitingCall>, asking: Asking = { kind: 'nothing' }) =>
  renderToStaticMarkup(
    createElement(WaitingCallView, { call: { ...CALL, ...call }, asking, onDecide: () => undefined }),
  )

const buttonsOf = (html: string) =>
  [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, name]) => name)

test('[S13] the session is offered only where an answer may hold so long, with what it allows', () => {
  expect(buttonsOf(page({}))).toEqual(['Allow once', 'Refuse'])
  const html = page({ grant: { tool: 'write_file', target: 'notes.md' } })
  expect(buttonsOf(html)).toEqual(['Allow once', 'Allow for this session', 'Refuse'])
  expect(html.replace(/<[^>]*>/g, '')).toContain(
    '“For this session” lets write_file be used on exactly notes.md without asking again',
  )
})

test('[S13] a diff is marked by signs and not by colour alone', () => {
  const html = page({ preview: { kind: 'diff', text: '@@ -1 +1 @@\n-old\n+new\n' } })
  expect(html).toMatch(/<del data-line="removed"[^>]*><span[^>]*>−<\/span><span[^>]*>old<\/span><\/del>/)
  expect(html).toMatch(/<ins data-line="added"[^>]*><span[^>]*>\+<\/span><span[^>]*>new<\/span><\/ins>/)
  expect(html).toContain('aria-label="What it would change" tabindex="0"')
})

test.each(['diff', 'text'] as const)(
  '[S13] a preview as %s is text, with what is unseen written out',
  (kind) => {
    const html = page({ preview: { kind, text: '+<img src=x onerror=alert(1)>\u202Etxt.exe\u200B' } })
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;\\u{202e}txt.exe\\u{200b}')
    expect(html).not.toContain('<img')
  },
)

test('[A3] why a person may not decide is said where they tried', () => {
  const reason = 'This needs the role operator; your token has viewer.'
  expect(page({}, { kind: 'refused', reason })).toMatch(
    new RegExp(`role="alert"[^>]*>\\s*<p[^>]*>${reason.replace('.', '\\.')}`),
  )
})
