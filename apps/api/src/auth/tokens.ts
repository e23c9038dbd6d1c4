import { randomBytes } from 'node:crypto'
import type { PersonId } from '@parley/contracts'
import { computeDigest } from '../node-host.ts'

export const hashToken = (token: string): Buffer => computeDigest(token)

/** The tokens of people, sign-ins of pages, share links and visitors. */
type TokenPrefix = 'parley' | 'sgn' | 'shr' | 'vis'

/** A new token. Only its hash is stored. */
export function createToken(prefix: TokenPrefix) {
  const token = `${prefix}_${randomBytes(32).toString('base64url')}`
  return { token, tokenHash: hashToken(token) }
}

/** A new person with their token. */
export const createPerson = () => ({
  personId: `per_${randomBytes(12).toString('hex')}` as PersonId,
  ...createToken('parley'),
})
