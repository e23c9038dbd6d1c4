import { CONVERSATIONS, type ReflectionId } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { AUDIT } from './audit.ts'
import { MEMBERS, REVOKE_INVITED, SET_MEMBER, unknownPerson } from './members.ts'
import { type MemberRow, type ReflectionRow, toReflection } from './rows.ts'
import { type StoreHost, requestRebuild, newId, requireReflection } from './store-host.ts'
import { timePageValues, toTimePage } from '../pages.ts'
import { statement } from '../statement.ts'

type Part = Pick<
  ReflectionStore,
  'create' | 'find' | 'formerNames' | 'list' | 'change' | 'noteVoice' | 'remove'
>

/** Reflections as a whole. */
export function reflections({ run, transact, jobs }: StoreHost): Part {
  return {
    create: ({ displayName, creatorName, approval, ownerId }) =>
      transact(async (within) => {
        const id = newId('rfl_') as ReflectionId
        await within(CREATE, [id, displayName, creatorName, approval ?? 'by_rule'])
        await within(ADD_NAMESPACES, [id, [newId('nsp_'), newId('nsp_')], [CONVERSATIONS, GENERAL]])
        const [member] = await within(SET_MEMBER, [id, ownerId, 'owner', null, null])
        if (!member) throw unknownPerson(ownerId)
        await requestRebuild(jobs, within, id)
        return toReflection(await requireReflection(within<ReflectionRow>(FIND, [id]), id))
      }),

    async find(reflectionId, signal) {
      const [row] = await run<ReflectionRow>(FIND, [reflectionId], signal)
      return row && toReflection(row)
    },

    async formerNames(reflectionId) {
      const [row] = await run<{ former_names: string[] }>(FORMER_NAMES, [reflectionId])
      return row?.former_names ?? []
    },

    async list({ personId, ...page }) {
      const rows = await run<ReflectionRow>(LIST, [...timePageValues(page), personId])
      return toTimePage(page, rows, toReflection)
    },

    change: (reflectionId, { displayName, creatorName, approval, voice, ...learning }, by) =>
      transact(async (within) => {
        const isNamed = creatorName !== undefined
        const names = [displayName, creatorName, isNamed]
        const spoken = [
          voice
            ? JSON.stringify({ ...voice, kind: voice.kind ?? 'clone', consent: voice.consent ?? false })
            : null,
          voice !== undefined,
        ]
        const learningValues = [learning.shareIngestion, learning.conversationApproval]
        await within(CHANGE, [reflectionId, ...names, approval, ...spoken, ...learningValues])
        const row = await requireReflection(within<ReflectionRow>(FIND, [reflectionId]), reflectionId)
        await within(AUDIT, [reflectionId, by, 'reflection_changed', reflectionId])
        if (displayName !== undefined || isNamed) await requestRebuild(jobs, within, reflectionId)
        return toReflection(row)
      }),

    async noteVoice(reflectionId, voiceId, standing) {
      await run(NOTE_VOICE, [reflectionId, voiceId, standing === 'unlisted'])
    },

    remove: (reflectionId, by) =>
      transact(async (within) => {
        await requireReflection(within(REMOVE, [reflectionId]), reflectionId)
        await within(ERASE_SESSIONS, [reflectionId])
        await within(REQUEST_REMOVAL, [reflectionId, by])
        await within(AUDIT, [reflectionId, by, 'reflection_removed', reflectionId])
        const members = await within<MemberRow>(MEMBERS, [reflectionId])
        await within(REVOKE_INVITED, [members.map((member) => member.person_id), by])
        await jobs.send('remove-reflection', { reflectionId }, within)
      }),
  }
}

const GENERAL = 'general'

export const REFLECTION_COLUMNS = `r.id, r.display_name, r.creator_name, r.approval, r.conversation_approval, r.publish_revision, r.created_at, r.voice,
  r.share_ingestion,
  (select k.revision::float8 from knowledge_revision k where k.reflection_id = r.id) as knowledge_revision,
  (select json_agg(json_build_object('name', n.name, 'isPublished', n.is_published) order by n.name)
    from namespaces n where n.reflection_id = r.id) as namespaces`

const CREATE = statement(
  'insert into reflections (id, display_name, creator_name, approval) values ($1, $2, $3, $4)',
)

const ADD_NAMESPACES = statement(`insert into namespaces (id, reflection_id, name)
  select id, $1, name from unnest($2::text[], $3::text[]) as given (id, name)`)

const FIND = statement(`
  select ${REFLECTION_COLUMNS} from reflections r where r.id = $1 and r.removed_at is null`)

const FORMER_NAMES = statement('select former_names from reflections where id = $1')

const LIST = statement(`select ${REFLECTION_COLUMNS}, m.role, array(
    select n.name from namespaces n where n.reflection_id = r.id and (
      m.namespace_ids is null or n.is_published or n.id = any(m.namespace_ids)
    )
  ) as reached from reflections r
  left join reflection_members m on m.reflection_id = r.id and m.person_id = $4
  where r.removed_at is null and (r.created_at, r.id) < ($2::timestamptz, $3)
    and ($4::text is null or m.role is not null)
  order by r.created_at desc, r.id desc limit $1`)

const CHANGE = statement(`update reflections set display_name = coalesce($2, display_name),
    creator_name = case when $4 then $3 else creator_name end,
    former_names = case
      when $4 and creator_name is not null and creator_name is distinct from $3 and creator_name <> all(former_names) then former_names || creator_name
      -- Without a creator's name, facts use the display name.
      when creator_name is null and display_name <> $2 and display_name <> all(former_names) then former_names || display_name
      else former_names
    end, approval = coalesce($5, approval),
    voice = case when $7 then $6::json else voice end, share_ingestion = coalesce($8, share_ingestion),
    conversation_approval = coalesce($9, conversation_approval)
  where id = $1 and removed_at is null`)

const NOTE_VOICE = statement(`update reflections
  set voice = (case when $3 then voice::jsonb || '{"isUnlisted": true}' else voice::jsonb - 'isUnlisted' end)::json
  where id = $1 and voice ->> 'voiceId' = $2 and removed_at is null`)

const REMOVE = statement(`
  update reflections set removed_at = now() where id = $1 and removed_at is null returning id`)

const ERASE_SESSIONS = statement('select erase_sessions_of($1)')

const REQUEST_REMOVAL = statement(`
  insert into intake (reflection_id, kind, requested_by) values ($1, 'remove_reflection', $2)`)
