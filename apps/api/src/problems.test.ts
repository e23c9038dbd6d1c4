import { ErrorCode, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toProblem, getWaitSeconds } from './problems.ts'

test.each(ErrorCode.options)('%s without a message has a title and a fix', (code) => {
  const { title, detail } = toProblem(new PlatformError(code, { sessionId: 'ses_1' }), 'r1')
  expect(detail).toMatch(/^[A-Z].*\. [A-Z/].*\.$/)
  expect(detail).toContain(title)
})

test('the details of server errors are only in the log', () => {
  for (const failure of [
    new Error('secret'),
    new PlatformError('history_damaged', { message: 'secret' }),
    new PlatformError('internal', { message: 'secret' }),
  ]) {
    expect(JSON.stringify(toProblem(failure, 'r1'))).not.toContain('secret')
  }
})

test('[P8] a temporary problem says when to retry', () => {
  for (const code of ErrorCode.options) {
    const failure = new PlatformError(code)
    const mayPass = [429, 503, 504].includes(toProblem(failure, 'r1').status) && code !== 'tool_unavailable'
    const isAwaited = mayPass || code === 'request_in_progress'
    expect([code, getWaitSeconds(failure) !== undefined]).toEqual([code, isAwaited])
  }
  expect(getWaitSeconds(new PlatformError('rate_limited', { retryAfterSeconds: 40 }))).toBe(40)
  const lasting = new PlatformError('public_runtime_not_ready', { retryAfterSeconds: null })
  expect(getWaitSeconds(lasting)).toBeUndefined()
})
