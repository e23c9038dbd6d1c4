import { CONVERSATIONS, type Fact, type MemberRole, type Source } from '@parley/contracts'
import type { ConfidentialFilter } from '@parley/knowledge'
import { isAtLeast } from '@parley/reflections'
import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'

/** What people said in sessions and corrections is read by themselves and by admins. Others learn of it what was approved, and no words of it. */
export const maySeeConfided = (role: MemberRole): boolean => isAtLeast(role, 'admin')

/** As the store is asked for it. */
export const seenBy = (c: Context<ApiEnv>): ConfidentialFilter =>
  maySeeConfided(c.get('memberRole')) ? {} : { excludeConfidential: true, exceptOf: c.get('caller').personId }

export const maySeeSource = ({ namespace }: Source, role: MemberRole): boolean =>
  namespace !== CONVERSATIONS || maySeeConfided(role)

/** What waits or was rejected of what was said in confidence is not. */
export const maySeeFact = ({ state, evidence }: Fact, role: MemberRole): boolean =>
  state === 'active' || !evidence.some(isConfided) || maySeeConfided(role)

export const withoutConfided = (fact: Fact, role: MemberRole): Fact =>
  maySeeConfided(role) ? fact : { ...fact, evidence: fact.evidence.filter((each) => !isConfided(each)) }

const isConfided = (evidence: Fact['evidence'][number]): boolean => evidence.isConfided === true
