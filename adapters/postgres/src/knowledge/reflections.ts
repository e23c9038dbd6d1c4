import { CONVERSATIONS, PlatformError, type ReflectionId } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { AUDIT } from './audit.ts'
import { newId } from './new-id.ts'
import { pageOf, pageValues } from './paging.ts'
import { type MemberRow, type ReflectionRow, toMember, toReflection } from './rows.ts'
import type { Run } from '../queries.ts'
import type { StoreHost } from './store-host.ts'

type Part = Pick<
  ReflectionStore,
  'create' | 'find' | 'list' | 'change' | 'remove' | 'roleOf' | 'members' | 'setMember' | 'removeMember'
>

/** Reflections and who belongs to them. */
export function reflections({ run, transact, jobs }: StoreHost): Part {
  return {
    create: ({ displayName, creatorName, approval, ownerId }) =>
      transact(async (within) => {
        const id = newId('rfl_') as ReflectionId
        await within(CREATE, [id, displayName, creatorName ?? null, approval ?? 'by_rule'])
        await within(ADD_NAMESPACES, [id, [newId('nsp_'), newId('nsp_')], [CONVERSATIONS, GENERAL]])
        const [member] = await within(SET_MEMBER, [id, ownerId, 'owner'])
        if (!member) throw unknownPerson(ownerId)
        return toReflection(await found(within(FIND, [id]), id))
      }),

    async find(reflectionId) {
      const [row] = await run<ReflectionRow>(FIND, [reflectionId])
      return row && toReflection(row)
    },

    async list({ personId, ...page }) {
      const rows = await run<ReflectionRow>(LIST, [...pageValues(page), personId ?? null])
      return pageOf(page, rows, toReflection)
    },

    change: (reflectionId, { displayName, creatorName, approval }, by) =>
      transact(async (within) => {
        const isNamed = creatorName !== undefined
        const names = [displayName ?? null, creatorName ?? null, isNamed]
        await within(CHANGE, [reflectionId, ...names, approval ?? null])
        const row = await found<ReflectionRow>(within(FIND, [reflectionId]), reflectionId)
        await within(AUDIT, [reflectionId, by, 'reflection_changed', reflectionId])
        return toReflection(row)
      }),

    remove: (reflectionId, by) =>
      transact(async (within) => {
        await found(within(REMOVE, [reflectionId]), reflectionId)
        await within(ASK_TO_REMOVE, [reflectionId, by])
        await within(AUDIT, [reflectionId, by, 'reflection_removed', reflectionId])
        await jobs.send('remove-reflection', { reflectionId }, within)
      }),

    async roleOf(reflectionId, personId) {
      const [row] = await run<MemberRow>(ROLE_OF, [reflectionId, personId])
      return row?.role
    },

    async members(reflectionId) {
      return (await run<MemberRow>(MEMBERS, [reflectionId])).map(toMember)
    },

    setMember: (reflectionId, { personId, role }, by) =>
      transact(async (within) => {
        await found(within(LOCK, [reflectionId]), reflectionId)
        const [row] = await within(SET_MEMBER, [reflectionId, personId, role])
        if (!row) throw unknownPerson(personId)
        await keepOwner(within, reflectionId)
        await within(AUDIT, [reflectionId, by, `member_set_${role}`, personId])
      }),

    removeMember: (reflectionId, personId, by) =>
      transact(async (within) => {
        await found(within(LOCK, [reflectionId]), reflectionId)
        const [row] = await within(REMOVE_MEMBER, [reflectionId, personId])
        await keepOwner(within, reflectionId)
        if (row) await within(AUDIT, [reflectionId, by, 'member_removed', personId])
      }),
  }
}

const GENERAL = 'general'

async function found<Row>(rows: Promise<readonly Row[]>, reflectionId: ReflectionId): Promise<Row> {
  const [row] = await rows
  if (row) return row
  throw new PlatformError('reflection_not_found', { reflectionId })
}

/** While the reflection is locked, so that of two who leave at once one stays. */
async function keepOwner(within: Run, reflectionId: ReflectionId): Promise<void> {
  const members = await within<MemberRow>(MEMBERS, [reflectionId])
  if (members.some(({ role }) => role === 'owner')) return
  throw new PlatformError('validation', {
    message: 'This is the only owner of the reflection. Make somebody else an owner first.',
  })
}

const unknownPerson = (personId: string) =>
  new PlatformError('not_found', {
    personId,
    message: `Nobody is known as ${personId}. Make a token for them first, then add them here.`,
  })

export const REFLECTION_COLUMNS = `r.id, r.display_name, r.creator_name, r.approval, r.publish_revision, r.created_at,
  (select json_agg(json_build_object('name', n.name, 'isPublished', n.is_published) order by n.name)
    from namespaces n where n.reflection_id = r.id) as namespaces`

const CREATE = {
  name: 'create_reflection',
  text: 'insert into reflections (id, display_name, creator_name, approval) values ($1, $2, $3, $4)',
}

const ADD_NAMESPACES = {
  name: 'add_namespaces',
  text: `insert into namespaces (id, reflection_id, name)
    select id, $1, name from unnest($2::text[], $3::text[]) as given (id, name)`,
}

const FIND = {
  name: 'find_reflection',
  text: `select ${REFLECTION_COLUMNS} from reflections r where r.id = $1 and r.removed_at is null`,
}

const LOCK = {
  name: 'lock_members',
  text: 'select id from reflections where id = $1 and removed_at is null for update',
}

const LIST = {
  name: 'list_reflections',
  text: `select ${REFLECTION_COLUMNS}, m.role from reflections r
    left join reflection_members m on m.reflection_id = r.id and m.person_id = $4
    where r.removed_at is null and (r.created_at, r.id) < ($2::timestamptz, $3)
      and ($4::text is null or m.role is not null)
    order by r.created_at desc, r.id desc limit $1`,
}

const CHANGE = {
  name: 'change_reflection',
  text: `update reflections set display_name = coalesce($2, display_name),
      creator_name = case when $4 then $3 else creator_name end, approval = coalesce($5, approval)
    where id = $1 and removed_at is null`,
}

const REMOVE = {
  name: 'remove_reflection',
  text: `update reflections set removed_at = now() where id = $1 and removed_at is null returning id`,
}

const ASK_TO_REMOVE = {
  name: 'ask_to_remove_reflection',
  text: `insert into intake (reflection_id, kind, requested_by) values ($1, 'remove_reflection', $2)`,
}

const ROLE_OF = {
  name: 'role_of_member',
  text: `select m.role from reflection_members m join reflections r on r.id = m.reflection_id
    where m.reflection_id = $1 and m.person_id = $2 and r.removed_at is null`,
}

const MEMBERS = {
  name: 'members',
  text: `select m.person_id, p.label, m.role from reflection_members m join people p on p.id = m.person_id
    where m.reflection_id = $1 order by p.label, p.id`,
}

const SET_MEMBER = {
  name: 'set_member',
  text: `insert into reflection_members (reflection_id, person_id, role)
    select $1, id, $3 from people where id = $2
    on conflict (reflection_id, person_id) do update set role = excluded.role
    returning person_id`,
}

const REMOVE_MEMBER = {
  name: 'remove_member',
  text: 'delete from reflection_members where reflection_id = $1 and person_id = $2 returning person_id',
}
