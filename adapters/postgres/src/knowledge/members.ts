import { type PersonId, PlatformError, ROLES, type ReflectionId, type SetMember } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { refuseNamespaceChoice, requireKnownNamespaces } from '@parley/reflections'
import { deriveCapability, computeSha256 } from '../hashes.ts'
import { type Run, hasRows } from '../run-statements.ts'
import { CREATE_TOKEN, whereValid, createTokenId, postgresTokenStore } from '../tokens/token-store.ts'
import { RECORD_ACTION } from './audit.ts'
import { type MemberRow, toMember } from './rows.ts'
import { type MembersHost, requireReflection } from './store-host.ts'
import { statement } from '../statement.ts'

type MemberMethods = Pick<
  ReflectionStore,
  | 'findMember'
  | 'isAdminOfAny'
  | 'listMembers'
  | 'setMember'
  | 'createMemberToken'
  | 'invite'
  | 'inviteAgain'
  | 'removeMember'
>

/** The members of a reflection and their roles. */
export function createMemberMethods({ run, transact, capabilityKey }: MembersHost): MemberMethods {
  const deriveMemberCapability = (reflectionId: ReflectionId, personId: PersonId) =>
    deriveCapability(capabilityKey, `${reflectionId} ${personId}`)

  /** Stores the member's role and namespaces, and records both. */
  const saveMember = async (
    execute: Run,
    reflectionId: ReflectionId,
    member: SetMember,
    change: MemberChange,
  ) => {
    const { personId, role } = member
    const [current] = await execute<CurrentRow>(FIND_CURRENT, [reflectionId, personId])
    const chosen = await findChosenNamespaces(execute, reflectionId, member, current)
    const hash = chosen && computeSha256(deriveMemberCapability(reflectionId, personId))
    const ids = chosen && chosen.map(({ id }) => id)
    const [row] = await execute(SET_MEMBER, [reflectionId, personId, role, ids, hash])
    if (!row) throw createUnknownPersonError(personId)
    await execute(RECORD_ACTION, [reflectionId, change.by, change.what, personId])
    const isSame = current && String(current.namespace_ids) === String(ids)
    if (isSame || !ROLES[role].canBeLimited) return
    const names = chosen ? ['the published ones', ...chosen.map(({ name }) => name)].join(', ') : 'all'
    await execute(RECORD_ACTION, [reflectionId, change.by, 'member_namespaces_set', `${personId}: ${names}`])
  }

  return {
    async findMember(reflectionId, personId) {
      const [row] = await run<ReachRow>(MEMBER_OF, [reflectionId, personId])
      if (!row) return undefined
      if (!row.is_narrowed) return { role: row.role }
      const { chosen, namespaces } = row
      const capability = deriveMemberCapability(reflectionId, personId)
      const hash = computeSha256(capability)
      // The key follows from the password of DATABASE_URL, which may have changed.
      if (!row.capability_hash?.equals(hash)) await run(RENEW_CAPABILITY, [reflectionId, personId, hash])
      return { role: row.role, reach: { chosen, namespaces, capability } }
    },

    isAdminOfAny: (personId) => hasRows(run(RUNS_ANY, [personId])),

    async listMembers(reflectionId) {
      return (await run<MemberRow>(LIST_MEMBERS, [reflectionId])).map(toMember)
    },

    setMember: (reflectionId, member, by) =>
      transact(async (execute) => {
        await requireReflection(execute(LOCK_ROW, [reflectionId]), reflectionId)
        const [ended] = await execute(FIND_ENDED_INVITATION, [reflectionId, member.personId])
        if (ended) throw createEndedInvitationError(member.personId)
        await saveMember(execute, reflectionId, member, { what: `member_set_${member.role}`, by })
        await requireOwner(execute, reflectionId)
      }),

    createMemberToken: (reflectionId, { role, namespaces, ...token }, by) =>
      transact(async (execute) => {
        await requireReflection(execute(LOCK_ROW, [reflectionId]), reflectionId)
        const tokens = postgresTokenStore(execute)
        const { tokenId, personId } = await tokens.create({ ...token, role: 'viewer', by, reflectionId })
        const member = { personId, role, namespaces }
        await saveMember(execute, reflectionId, member, { what: `member_set_${role}`, by })
        return tokenId
      }),

    invite: (reflectionId, { personId, label, role, namespaces, tokenHash, expiresAt }, by) =>
      transact(async (execute) => {
        await requireReflection(execute(LOCK_ROW, [reflectionId]), reflectionId)
        const token = [createTokenId(), personId, label, 'viewer', Buffer.from(tokenHash), expiresAt]
        await execute(CREATE_TOKEN, [...token, by, reflectionId, 'invited'])
        const member = { personId, role, namespaces }
        await saveMember(execute, reflectionId, member, { what: `member_invited_${role}`, by })
      }),

    inviteAgain: (reflectionId, { personId, tokenHash, expiresAt }, by) =>
      transact(async (execute) => {
        await requireReflection(execute(LOCK_ROW, [reflectionId]), reflectionId)
        const [person] = await execute<{ label: string }>(FIND_INVITED_HERE_ONLY, [reflectionId, personId])
        if (!person) throw createNewLinkError(personId)
        await execute(REVOKE_FORMER, [personId, by])
        const token = [createTokenId(), personId, person.label, 'viewer', Buffer.from(tokenHash), expiresAt]
        await execute(CREATE_TOKEN, [...token, by, reflectionId, 'invited'])
        await execute(RECORD_ACTION, [reflectionId, by, 'member_invited_again', personId])
        return person.label
      }),

    removeMember: (reflectionId, personId, by) =>
      transact(async (execute) => {
        await requireReflection(execute(LOCK_ROW, [reflectionId]), reflectionId)
        const [row] = await execute(REMOVE_MEMBER, [reflectionId, personId])
        await requireOwner(execute, reflectionId)
        if (!row) return
        await execute(RECORD_ACTION, [reflectionId, by, 'member_removed', personId])
        await execute(REVOKE_INVITED, [[personId], by])
      }),
  }
}

interface MemberChange {
  readonly what: string
  readonly by: PersonId
}

interface CurrentRow {
  readonly role: MemberRow['role']
  readonly namespace_ids: readonly string[] | null
}

interface ReachRow {
  readonly role: MemberRow['role']
  readonly is_narrowed: boolean
  readonly capability_hash: Buffer | null
  readonly chosen: readonly string[]
  readonly namespaces: readonly string[]
}

interface NamespaceRow {
  readonly id: string
  readonly name: string
}

/** The private namespaces that a member may read; null for all. */
async function findChosenNamespaces(
  execute: Run,
  reflectionId: ReflectionId,
  { role, namespaces }: SetMember,
  current: CurrentRow | undefined,
): Promise<readonly NamespaceRow[] | null> {
  refuseNamespaceChoice({ role, namespaces })
  if (namespaces === 'all' || !ROLES[role].canBeLimited) return null
  const all = await execute<NamespaceRow>(NAMESPACES, [reflectionId])
  if (namespaces === undefined) {
    // A former owner or admin read all namespaces by role, which nobody chose for the new role.
    const isKept = current && ROLES[current.role].canBeLimited
    if (isKept && current.namespace_ids === null) return null
    return isKept ? all.filter(({ id }) => current.namespace_ids?.includes(id)) : []
  }
  requireKnownNamespaces(
    namespaces,
    all.map(({ name }) => name),
  )
  return all.filter(({ name }) => namespaces.includes(name))
}

/** Runs while the reflection is locked, so that two owners cannot both leave. */
async function requireOwner(execute: Run, reflectionId: ReflectionId): Promise<void> {
  const all = await execute<MemberRow>(LIST_MEMBERS, [reflectionId])
  if (all.some(({ role }) => role === 'owner')) return
  throw new PlatformError('validation', {
    message: 'This is the only owner of the reflection. Make somebody else an owner first.',
  })
}

export const createUnknownPersonError = (personId: string) =>
  new PlatformError('not_found', {
    personId,
    message: `There is no person ${personId}. Invite them, or create a token for them first and add them here.`,
  })

const createEndedInvitationError = (personId: string) =>
  new PlatformError('validation', {
    personId,
    message: `The invitation of ${personId} has ended. Invite them again.`,
  })

const createNewLinkError = (personId: string) =>
  new PlatformError('validation', {
    personId,
    message: `A new link is only for people who were invited to this reflection and are members of no other; ${personId} is not.`,
  })

const LOCK_ROW = statement(
  'select id from reflections where id = $1 and removed_at is null for no key update',
)

const FIND_CURRENT = statement(
  'select role, namespace_ids from reflection_members where reflection_id = $1 and person_id = $2',
)

const NAMESPACES = statement('select id, name from namespaces where reflection_id = $1 order by name')

const selectNames = (chosen: string) =>
  `array(select n.name from namespaces n where n.reflection_id = m.reflection_id and (${chosen}) order by n.name)`

// The server's owner reads everything, whatever their role here.
const MEMBER_OF = statement(`select m.role, m.capability_hash, m.namespace_ids is not null and not exists (
      select from tokens t where t.person_id = m.person_id and t.role = 'owner' and ${whereValid('t')}
    ) as is_narrowed,
    ${selectNames('n.id = any(m.namespace_ids)')} as chosen,
    ${selectNames('n.is_published or n.id = any(m.namespace_ids)')} as namespaces
  from reflection_members m join reflections r on r.id = m.reflection_id
  where m.reflection_id = $1 and m.person_id = $2 and r.removed_at is null`)

const RENEW_CAPABILITY = statement(`update reflection_members set capability_hash = $3
  where reflection_id = $1 and person_id = $2 and namespace_ids is not null`)

const RUNS_ANY = statement(`select from reflection_members m join reflections r on r.id = m.reflection_id
  where m.person_id = $1 and m.role in ('owner', 'admin') and r.removed_at is null limit 1`)

export const LIST_MEMBERS = statement(`select m.person_id, p.label, m.role,
    case when m.namespace_ids is not null then ${selectNames('n.id = any(m.namespace_ids)')} end as namespaces,
    (select max(expires_at) from tokens t
      where t.person_id = m.person_id and t.kind = 'invited' and t.revoked_at is null) as invited_until
  from reflection_members m join people p on p.id = m.person_id
  where m.reflection_id = $1 order by p.label, p.id`)

export const SET_MEMBER = statement(`
  insert into reflection_members (reflection_id, person_id, role, namespace_ids, capability_hash)
  select $1, id, $3, $4, $5 from people where id = $2
  on conflict (reflection_id, person_id) do update set role = excluded.role, namespace_ids = excluded.namespace_ids,
    capability_hash = excluded.capability_hash
  returning person_id`)

// Not a member, and without a valid token.
const FIND_ENDED_INVITATION = statement(`select from tokens where person_id = $2 and not exists (
    select from reflection_members where reflection_id = $1 and person_id = $2
  )
  having bool_and(kind = 'invited' and revoked_at is not null)`)

// Excludes people invited elsewhere, with other tokens, or with other memberships: admins can add any known person
// without asking, and a new link would let them act as that person.
const FIND_INVITED_HERE_ONLY = statement(`
  select p.label from people p join reflection_members m on m.person_id = p.id and m.reflection_id = $1
  where p.id = $2
    and exists (select from tokens where person_id = $2 and kind = 'invited' and reflection_id = $1)
    and not exists (
      select from tokens where person_id = $2 and revoked_at is null
        and (kind <> 'invited' or reflection_id <> $1)
    )
    and not exists (
      select from reflection_members o join reflections r on r.id = o.reflection_id and r.removed_at is null
      where o.person_id = $2 and o.reflection_id <> $1
    )`)

const REVOKE_FORMER = statement(`with revoked as (
    update tokens set revoked_at = now()
    where kind = 'invited' and revoked_at is null and person_id = $1
    returning id, reflection_id
  )
  insert into audit_log (reflection_id, who, what, target)
  select reflection_id, $2, 'token_revoked', id from revoked`)

const REMOVE_MEMBER = statement(
  'delete from reflection_members where reflection_id = $1 and person_id = $2 returning person_id',
)

// Revokes their invitations, recorded in the audit log of the reflection that issued them.
export const REVOKE_INVITED = statement(`with revoked as (
    update tokens set revoked_at = now()
    where kind = 'invited' and revoked_at is null and person_id = any($1::text[]) and not exists (
      select from reflection_members m join reflections r on r.id = m.reflection_id and r.removed_at is null
      where m.person_id = tokens.person_id and m.reflection_id = tokens.reflection_id
    )
    returning id, reflection_id
  )
  insert into audit_log (reflection_id, who, what, target)
  select reflection_id, $2, 'token_revoked', id from revoked`)
