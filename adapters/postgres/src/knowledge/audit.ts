import { PlatformError, type PersonId } from '@parley/contracts'
import type { AuditEntry, ReflectionStore } from '@parley/knowledge'
import type { StoreHost } from './store-host.ts'

/** What was done to a reflection, and by whom; latest first. */
export function audit({ run }: StoreHost): Pick<ReflectionStore, 'audit'> {
  return {
    async audit(reflectionId, { limit, cursor }) {
      if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
        throw new PlatformError('validation', {
          message: 'This cursor is none of ours. Leave it out to start at the first page.',
        })
      }
      const rows = await run<AuditRow>(READ, [reflectionId, limit + 1, cursor ?? null])
      const kept = rows.slice(0, limit)
      const last = kept.at(-1)
      return {
        items: kept.map(toEntry),
        ...(rows.length > limit && last && { nextCursor: last.id }),
      }
    },
  }
}

interface AuditRow {
  readonly id: string
  readonly who: PersonId
  readonly what: string
  readonly target: string | null
  readonly at: Date
}

const toEntry = ({ who, what, target, at }: AuditRow): AuditEntry => ({
  who,
  what,
  ...(target !== null && { target }),
  at: at.toISOString(),
})

const READ = {
  name: 'read_audit',
  text: `select id::text, who, what, target, at from audit_log
    where reflection_id = $1 and ($3::bigint is null or id < $3::bigint) order by id desc limit $2`,
}
