import { CONVERSATIONS, type Fact, type MemberRole, type Source } from '@parley/contracts'
import type { Seen } from '@parley/knowledge'
import { isAtLeast } from '../auth/is-at-least.ts'

/** What people said in sessions is read by themselves and by admins. Others learn of it what was approved, and no words of it. */
export const maySeeConfided = (role: MemberRole): boolean => isAtLeast(role, 'admin')

/** As the store is asked for it. */
export const seenBy = (role: MemberRole): Seen => ({ withoutConfided: !maySeeConfided(role) })

export const maySeeSource = ({ namespace }: Source, role: MemberRole): boolean =>
  namespace !== CONVERSATIONS || maySeeConfided(role)

export const withoutConfided = (fact: Fact, role: MemberRole): Fact =>
  fact.namespace === CONVERSATIONS && !maySeeConfided(role) ? { ...fact, evidence: [] } : fact
