import { ErrorCode, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { reportFailure } from './failure.ts'
import { testIo } from './testing/scripted-chat.ts'

test.each(ErrorCode.options)('%s without a message is reported as a sentence', (code) => {
  const { io, told } = testIo()
  reportFailure(new PlatformError(code, { sessionId: 'ses_abc' }), io, false)
  const [first = ''] = told().split('\n')
  expect(first).toMatch(/^parley: [A-Z][^_]*\.$/)
  expect(first).not.toContain(code === 'cancelled' ? 'undefined' : code)
})
