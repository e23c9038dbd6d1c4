import { PlatformError, type ReflectionId } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import type { Run } from '../queries.ts'
import { CREATE_TOKEN, newTokenId } from '../tokens/token-store.ts'
import { AUDIT } from './audit.ts'
import { type MemberRow, toMember } from './rows.ts'
import type { StoreHost } from './store-host.ts'

type Part = Pick<
  ReflectionStore,
  'roleOf' | 'runsAny' | 'members' | 'setMember' | 'invite' | 'inviteAgain' | 'removeMember'
>

/** Who belongs to a reflection, and as what. */
export function members({ run, transact }: StoreHost): Part {
  return {
    async roleOf(reflectionId, personId) {
      const [row] = await run<MemberRow>(ROLE_OF, [reflectionId, personId])
      return row?.role
    },

    async runsAny(personId) {
      return (await run(RUNS_ANY, [personId])).length > 0
    },

    async members(reflectionId) {
      return (await run<MemberRow>(MEMBERS, [reflectionId])).map(toMember)
    },

    setMember: (reflectionId, { personId, role }, by) =>
      transact(async (within) => {
        await lock(within, reflectionId)
        const [gone] = await within(LET_GO, [reflectionId, personId])
        if (gone) throw letGo(personId)
        const [row] = await within(SET_MEMBER, [reflectionId, personId, role])
        if (!row) throw unknownPerson(personId)
        await keepOwner(within, reflectionId)
        await within(AUDIT, [reflectionId, by, `member_set_${role}`, personId])
      }),

    invite: (reflectionId, { personId, label, role, tokenHash, expiresAt }, by) =>
      transact(async (within) => {
        await lock(within, reflectionId)
        const token = [newTokenId(), personId, label, 'viewer', Buffer.from(tokenHash), expiresAt]
        await within(CREATE_TOKEN, [...token, by, reflectionId, 'invited'])
        await within(SET_MEMBER, [reflectionId, personId, role])
        await within(AUDIT, [reflectionId, by, `member_invited_${role}`, personId])
      }),

    inviteAgain: (reflectionId, { personId, tokenHash, expiresAt }, by) =>
      transact(async (within) => {
        await lock(within, reflectionId)
        const [person] = await within<{ label: string }>(INVITED_ALONE, [reflectionId, personId])
        if (!person) throw notInvitedAlone(personId)
        await within(REVOKE_FORMER, [personId, by])
        const token = [newTokenId(), personId, person.label, 'viewer', Buffer.from(tokenHash), expiresAt]
        await within(CREATE_TOKEN, [...token, by, reflectionId, 'invited'])
        await within(AUDIT, [reflectionId, by, 'member_invited_again', personId])
        return person.label
      }),

    removeMember: (reflectionId, personId, by) =>
      transact(async (within) => {
        await lock(within, reflectionId)
        const [row] = await within(REMOVE_MEMBER, [reflectionId, personId])
        await keepOwner(within, reflectionId)
        if (!row) return
        await within(AUDIT, [reflectionId, by, 'member_removed', personId])
        await within(REVOKE_INVITED, [[personId], by])
      }),
  }
}

async function lock(within: Run, reflectionId: ReflectionId): Promise<void> {
  const [row] = await within(LOCK, [reflectionId])
  if (!row) throw new PlatformError('reflection_not_found', { reflectionId })
}

/** While the reflection is locked, so that of two who leave at once one stays. */
async function keepOwner(within: Run, reflectionId: ReflectionId): Promise<void> {
  const all = await within<MemberRow>(MEMBERS, [reflectionId])
  if (all.some(({ role }) => role === 'owner')) return
  throw new PlatformError('validation', {
    message: 'This is the only owner of the reflection. Make somebody else an owner first.',
  })
}

export const unknownPerson = (personId: string) =>
  new PlatformError('not_found', {
    personId,
    message: `Nobody is known as ${personId}. Invite them, or make a token for them first and add them here.`,
  })

const letGo = (personId: string) =>
  new PlatformError('validation', {
    personId,
    message: `${personId} was invited, and that invitation has ended. Invite them anew.`,
  })

const notInvitedAlone = (personId: string) =>
  new PlatformError('validation', {
    personId,
    message: `A new link is for who was invited to this reflection and is a member of no other; ${personId} is not.`,
  })

const LOCK = {
  name: 'lock_members',
  text: 'select id from reflections where id = $1 and removed_at is null for update',
}

const ROLE_OF = {
  name: 'role_of_member',
  text: `select m.role from reflection_members m join reflections r on r.id = m.reflection_id
    where m.reflection_id = $1 and m.person_id = $2 and r.removed_at is null`,
}

const RUNS_ANY = {
  name: 'runs_any_reflection',
  text: `select from reflection_members m join reflections r on r.id = m.reflection_id
    where m.person_id = $1 and m.role in ('owner', 'admin') and r.removed_at is null limit 1`,
}

export const MEMBERS = {
  name: 'members',
  text: `select m.person_id, p.label, m.role,
      (select max(expires_at) from tokens t
        where t.person_id = m.person_id and t.kind = 'invited' and t.revoked_at is null) as invited_until
    from reflection_members m join people p on p.id = m.person_id
    where m.reflection_id = $1 order by p.label, p.id`,
}

export const SET_MEMBER = {
  name: 'set_member',
  text: `insert into reflection_members (reflection_id, person_id, role)
    select $1, id, $3 from people where id = $2
    on conflict (reflection_id, person_id) do update set role = excluded.role
    returning person_id`,
}

// Who is no member, and has nothing left to sign in with.
const LET_GO = {
  name: 'was_let_go',
  text: `select from tokens where person_id = $2 and not exists (
      select from reflection_members where reflection_id = $1 and person_id = $2
    )
    having bool_and(kind = 'invited' and revoked_at is not null)`,
}

// Who was invited by another reflection, signs in with more than an invitation, or is a member elsewhere, is more than this
// reflection's admins may become: anybody who is known can be made a member without being asked.
const INVITED_ALONE = {
  name: 'invited_alone',
  text: `select p.label from people p join reflection_members m on m.person_id = p.id and m.reflection_id = $1
    where p.id = $2
      and exists (select from tokens where person_id = $2 and kind = 'invited' and reflection_id = $1)
      and not exists (
        select from tokens where person_id = $2 and revoked_at is null
          and (kind <> 'invited' or reflection_id <> $1)
      )
      and not exists (
        select from reflection_members o join reflections r on r.id = o.reflection_id and r.removed_at is null
        where o.person_id = $2 and o.reflection_id <> $1
      )`,
}

const REVOKE_FORMER = {
  name: 'revoke_former_invitation',
  text: `with revoked as (
      update tokens set revoked_at = now()
      where kind = 'invited' and revoked_at is null and person_id = $1
      returning id, reflection_id
    )
    insert into audit_log (reflection_id, who, what, target)
    select reflection_id, $2, 'token_revoked', id from revoked`,
}

const REMOVE_MEMBER = {
  name: 'remove_member',
  text: 'delete from reflection_members where reflection_id = $1 and person_id = $2 returning person_id',
}

// What these people were invited with goes with their membership there, wherever else they are members. In the record
// that says it was made.
export const REVOKE_INVITED = {
  name: 'revoke_invited',
  text: `with revoked as (
      update tokens set revoked_at = now()
      where kind = 'invited' and revoked_at is null and person_id = any($1::text[]) and not exists (
        select from reflection_members m join reflections r on r.id = m.reflection_id and r.removed_at is null
        where m.person_id = tokens.person_id and m.reflection_id = tokens.reflection_id
      )
      returning id, reflection_id
    )
    insert into audit_log (reflection_id, who, what, target)
    select reflection_id, $2, 'token_revoked', id from revoked`,
}
