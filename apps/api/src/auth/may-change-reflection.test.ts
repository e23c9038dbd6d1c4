import { type ChangeReflection, type MemberRole, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { mayChangeReflection } from './may-change-reflection.ts'

const answerTo = (role: MemberRole, change: ChangeReflection) => {
  try {
    mayChangeReflection(role, change)
    return 'allowed'
  } catch (failure) {
    return failure instanceof PlatformError ? failure.code : String(failure)
  }
}

test.each<[string, ChangeReflection, string]>([
  ['choose a voice that is not consented to yet', { voice: { voiceId: 'v' } }, 'allowed'],
  ['take a voice away', { voice: null }, 'allowed'],
  ['rename it', { displayName: 'Ada' }, 'allowed'],
  ['consent for somebody', { voice: { voiceId: 'v', consent: true } }, 'forbidden'],
  ['say that a voice is nobody’s', { voice: { voiceId: 'v', kind: 'stock' } }, 'forbidden'],
  ['let visitors be learned from', { shareIngestion: true }, 'forbidden'],
  ['let what is said be learned by rule', { conversationApproval: 'by_rule' }, 'forbidden'],
  ['no longer let visitors be learned from', { shareIngestion: false }, 'forbidden'],
])('[V11] an owner may %s; an admin: %#', (_, change, ofAdmin) => {
  expect([answerTo('owner', change), answerTo('admin', change)]).toEqual(['allowed', ofAdmin])
})
