import { PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toTurnRequest } from './approvals-page.tsx'

const createFailedDecision = (code: 'approval_not_pending' | 'forbidden') =>
  new PlatformError(code, { message: `It is ${code}.` })

test.each([
  ['nobody answered', false, null, { kind: 'none' }],
  ['an answer is being sent', true, null, { kind: 'pending' }],
  ['tried again after a refusal', true, createFailedDecision('forbidden'), { kind: 'pending' }],
  [
    'the person may not',
    false,
    createFailedDecision('forbidden'),
    { kind: 'refused', reason: 'It is forbidden.' },
  ],
  [
    'somebody else decided first',
    false,
    createFailedDecision('approval_not_pending'),
    { kind: 'refused', reason: expect.stringContaining('decided elsewhere') },
  ],
])('[S13] %s', (_, isPending, error, expected) => {
  expect(toTurnRequest({ isPending, error })).toEqual(expected)
})
