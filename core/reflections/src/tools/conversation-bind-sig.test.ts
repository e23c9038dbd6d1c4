import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  computeConversationBindSig,
  configuredBindingVerificationSecrets,
  verifyConversationBindSig,
} from './conversation-bind-sig.ts'

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
const sign = (id: string, secret: string) => computeConversationBindSig(id, secret, hmac)
const secrets = configuredBindingVerificationSecrets('new-made-up', 'old-made-up, older-made-up ,')
const good = sign('ses_mine', 'new-made-up')

describe('the bind signature', () => {
  test('[V10] is the HMAC-SHA256 of the conversation id', () => {
    expect(good).toBe(createHmac('sha256', 'new-made-up').update('ses_mine').digest('hex'))
  })

  test.each<[string, string, boolean]>([
    ['the current secret', good, true],
    ['a previous secret', sign('ses_mine', 'older-made-up'), true],
    ['a removed secret', sign('ses_mine', 'oldest-made-up'), false],
    ['another conversation', sign('ses_yours', 'new-made-up'), false],
    ['a part of the signature', good.slice(0, -1), false],
    ['a longer signature', `${good}0`, false],
    ['nothing', '', false],
    ['an empty secret', sign('ses_mine', ' '), false],
  ])('[V10] is verified by each configured secret: %s', (_, signature, isValid) => {
    expect(verifyConversationBindSig('ses_mine', signature, secrets, hmac)).toBe(isValid)
  })

  test('[V10] without a secret no signature is valid', () => {
    expect(configuredBindingVerificationSecrets('', ' , ')).toEqual([])
    expect(verifyConversationBindSig('ses_mine', good, [], hmac)).toBe(false)
  })

  test('[V10] an empty secret verifies no signature, not even one that was made with it', () => {
    expect(verifyConversationBindSig('ses_mine', sign('ses_mine', ''), ['', 'new-made-up'], hmac)).toBe(false)
    expect(verifyConversationBindSig('ses_mine', good, ['', 'new-made-up'], hmac)).toBe(true)
  })

  test.each(['first', 'middle', 'last'])(
    '[V10] signatures that differ only in the %s character are not equal',
    (place) => {
      const index = { first: 0, middle: 31, last: 63 }[place] ?? 0
      const almost = (text: string) =>
        text === `signature ${good}` ? 'a'.repeat(64) : `${'a'.repeat(index)}b${'a'.repeat(63 - index)}`
      const nearly = (_: string, text: string) => (text === 'ses_mine' ? good : almost(text))
      expect(verifyConversationBindSig('ses_mine', 'forged', ['new-made-up'], nearly)).toBe(false)
      expect(verifyConversationBindSig('ses_mine', good, ['new-made-up'], nearly)).toBe(true)
    },
  )

  test('[V10] no other text of any length is a valid signature', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (other) => {
        fc.pre(other !== good)
        expect(verifyConversationBindSig('ses_mine', other, secrets, hmac)).toBe(false)
      }),
    )
  })
})
