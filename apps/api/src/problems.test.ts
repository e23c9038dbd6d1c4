import { ErrorCode, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { problemOf } from './problems.ts'

test.each(ErrorCode.options)('%s without words of its own says what it is and what to do', (code) => {
  const { title, detail } = problemOf(new PlatformError(code, { sessionId: 'ses_1' }), 'r1')
  expect(detail).toMatch(/^[A-Z].*\. [A-Z/].*\.$/)
  expect(detail).toContain(title)
})

test('what went wrong inside is for the log', () => {
  for (const failure of [
    new Error('secret'),
    new PlatformError('history_damaged', { message: 'secret' }),
    new PlatformError('internal', { message: 'secret' }),
  ]) {
    expect(JSON.stringify(problemOf(failure, 'r1'))).not.toContain('secret')
  }
})
