import { randomBytes } from 'node:crypto'
import type { PersonId } from '@parley/contracts'
import { hashToken } from './hash-token.ts'

const DEFAULT_DAYS = 90

/** A new person with their token and its default expiry. */
export function newPerson() {
  const token = `parley_${randomBytes(32).toString('base64url')}`
  return {
    personId: `per_${randomBytes(12).toString('hex')}` as PersonId,
    token,
    tokenHash: hashToken(token),
    expiresAt: new Date(Date.now() + DEFAULT_DAYS * 86_400_000).toISOString(),
  }
}
