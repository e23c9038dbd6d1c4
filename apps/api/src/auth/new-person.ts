import { randomBytes } from 'node:crypto'
import type { PersonId } from '@parley/contracts'
import { hashToken } from './hash-token.ts'

const USUAL_DAYS = 90

/** Somebody who is not known yet, what they come with, and until when, unless another time is said. */
export function newPerson() {
  const token = `parley_${randomBytes(32).toString('base64url')}`
  return {
    personId: `per_${randomBytes(12).toString('hex')}` as PersonId,
    token,
    tokenHash: hashToken(token),
    expiresAt: new Date(Date.now() + USUAL_DAYS * 86_400_000).toISOString(),
  }
}
