import { expect, test } from 'vitest'
import { viewAt } from './session-page.tsx'

test.each([
  ['/sessions/ses_1', undefined],
  ['/sessions/ses_1/', undefined],
  ['/sessions/ses_1/events', 'Events'],
])('%s is called %s', (pathname, view) => {
  expect(viewAt(pathname)).toBe(view)
})
