import { CONVERSATIONS, type PersonId, PlatformError, type ReflectionId } from '@parley/contracts'
import type {
  ConfidentialFilter,
  KnowledgeReader,
  ReflectionStore,
  PublishChangeResult,
} from '@parley/knowledge'
import { refuseConversations, requirePublishable } from '@parley/reflections'
import { UNIQUE_VIOLATION, getErrorCode } from '../login/database-error.ts'
import { parseTimePage, toTimePage } from '../pages.ts'
import { type Run, ignoreRows, findFirst } from '../run-statements.ts'
import { statement } from '../statement.ts'
import { readPublicPreview } from '../reflections/artifact-reader.ts'
import { RECORD_ACTION, readReflectionAudit } from './audit.ts'
import { IS_KNOWN, createFactReader } from './facts.ts'
import {
  LIST_MEMBERS,
  REVOKE_INVITED,
  SET_MEMBER,
  createMemberMethods,
  createUnknownPersonError,
} from './members.ts'
import { PATCHES, createPatchReader, createPatchWriter, toVisibilityValues } from './patches.ts'
import { MARK_PUBLIC_AGENTS_STALE, RAISE_PUBLISH_REVISION, endPublicSessions } from './public-scopes.ts'
import { type MemberRow, type ReflectionRow, toReflection } from './rows.ts'
import { ALL_SOURCES, IS_SEARCHABLE, createSourceReader, createSourceWriter } from './sources.ts'
import {
  type MembersHost,
  type StoreHost,
  createId,
  requestRebuild,
  requireReflection,
} from './store-host.ts'

/** The store of reflections, through the login of `parley_serving`, which can read knowledge but not write it. */
export const postgresReflectionStore = (host: MembersHost): ReflectionStore => ({
  ...createKnowledgeReader(host.run),
  ...createReflectionMethods(host),
  ...createNamespaceMethods(host),
  ...createMemberMethods(host),
  ...createSourceWriter(host),
  ...createPatchWriter(host),
  openMemberReader: (capability) => {
    const transact = host.transactMember(capability)
    return createKnowledgeReader((query, values) => transact((execute) => execute(query, values)))
  },
})

const createKnowledgeReader = (run: Run): KnowledgeReader => ({
  ...createSourceReader(run),
  ...createFactReader(run),
  ...createPatchReader(run),
  countKnowledge: (reflectionId, visibility) => readSummary(run, reflectionId, visibility),
})

type ReflectionMethods = Pick<
  ReflectionStore,
  | 'create'
  | 'find'
  | 'readFormerNames'
  | 'list'
  | 'change'
  | 'recordVoiceListing'
  | 'remove'
  | 'listAuditEntries'
>

function createReflectionMethods({ run, transact, jobs }: StoreHost): ReflectionMethods {
  return {
    create: ({ displayName, creatorName, approval, ownerId }) =>
      transact(async (execute) => {
        const id = createId('rfl_') as ReflectionId
        await execute(CREATE, [id, displayName, creatorName, approval ?? 'by_rule'])
        await execute(ADD_NAMESPACES, [id, [createId('nsp_'), createId('nsp_')], [CONVERSATIONS, GENERAL]])
        const [member] = await execute(SET_MEMBER, [id, ownerId, 'owner', null, null])
        if (!member) throw createUnknownPersonError(ownerId)
        await requestRebuild(jobs, execute, id)
        return toReflection(await requireReflection(execute<ReflectionRow>(FIND, [id]), id))
      }),

    find: (reflectionId, signal) => findFirst(run<ReflectionRow>(FIND, [reflectionId], signal), toReflection),

    async readFormerNames(reflectionId) {
      const [row] = await run<{ former_names: string[] }>(FORMER_NAMES, [reflectionId])
      return row?.former_names ?? []
    },

    async list({ personId, ...page }) {
      const rows = await run<ReflectionRow>(LIST, [...parseTimePage(page), personId])
      return toTimePage(page, rows, toReflection)
    },

    change: (reflectionId, { displayName, creatorName, approval, voice, ...learning }, by) =>
      transact(async (execute) => {
        const isNamed = creatorName !== undefined
        const names = [displayName, creatorName, isNamed]
        const spoken = [
          voice
            ? JSON.stringify({ ...voice, kind: voice.kind ?? 'clone', consent: voice.consent ?? false })
            : null,
          voice !== undefined,
        ]
        const learningValues = [learning.shareIngestion, learning.conversationApproval]
        await execute(CHANGE, [reflectionId, ...names, approval, ...spoken, ...learningValues])
        const row = await requireReflection(execute<ReflectionRow>(FIND, [reflectionId]), reflectionId)
        await execute(RECORD_ACTION, [reflectionId, by, 'reflection_changed', reflectionId])
        if (displayName !== undefined || isNamed) await requestRebuild(jobs, execute, reflectionId)
        return toReflection(row)
      }),

    recordVoiceListing: (reflectionId, voiceId, standing) =>
      ignoreRows(run(RECORD_VOICE_LISTING, [reflectionId, voiceId, standing === 'unlisted'])),

    listAuditEntries: (reflectionId, page) => readReflectionAudit(run, reflectionId, page),

    remove: (reflectionId, by) =>
      transact(async (execute) => {
        await requireReflection(execute(REMOVE, [reflectionId]), reflectionId)
        await execute(ERASE_SESSIONS, [reflectionId])
        await execute(REQUEST_REMOVAL, [reflectionId, by])
        await execute(RECORD_ACTION, [reflectionId, by, 'reflection_removed', reflectionId])
        const members = await execute<MemberRow>(LIST_MEMBERS, [reflectionId])
        await execute(REVOKE_INVITED, [members.map((member) => member.person_id), by])
        await jobs.send('remove-reflection', { reflectionId }, execute)
      }),
  }
}

const GENERAL = 'general'

const REFLECTION_COLUMNS = `r.id, r.display_name, r.creator_name, r.approval,
  nullif(r.conversation_approval, 'by_person') as conversation_approval, r.publish_revision, r.created_at, r.voice,
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

const RECORD_VOICE_LISTING = statement(`update reflections
  set voice = (case when $3 then voice::jsonb || '{"isUnlisted": true}' else voice::jsonb - 'isUnlisted' end)::json
  where id = $1 and voice ->> 'voiceId' = $2 and removed_at is null`)

const REMOVE = statement(`
  update reflections set removed_at = now() where id = $1 and removed_at is null returning id`)

const ERASE_SESSIONS = statement('select erase_sessions_of($1)')

const REQUEST_REMOVAL = statement(`
  insert into intake (reflection_id, kind, requested_by) values ($1, 'remove_reflection', $2)`)

/** Counts of a reflection's sources, facts and waiting patches. */
async function readSummary(
  run: Run,
  reflectionId: ReflectionId,
  visibility: ConfidentialFilter,
): ReturnType<ReflectionStore['countKnowledge']> {
  const values = [reflectionId, visibility.excludeConfidential ? CONVERSATIONS : null]
  const [counted, [waiting], rows] = await Promise.all([
    run<SourcesRow>(COUNT_SOURCES, values),
    run<{ count: number }>(COUNT_WAITING, [reflectionId, ...toVisibilityValues({ ...visibility })]),
    run<{ name: string; facts: number }>(COUNT_FACTS, [reflectionId]),
  ])
  const total = (kind: 'learned' | 'busy' | 'wrong') => counted.reduce((sum, row) => sum + row[kind], 0)
  const sourcesIn = (name: string) => {
    const { learned = 0, busy = 0 } = counted.find(({ namespace }) => namespace === name) ?? {}
    return learned + busy
  }
  return {
    sources: { learned: total('learned'), busy: total('busy'), wrong: total('wrong') },
    waiting: waiting?.count ?? 0,
    namespaces: rows.map((row) => ({ name: row.name, sources: sourcesIn(row.name), facts: row.facts })),
  }
}

interface SourcesRow extends Readonly<Record<'learned' | 'busy' | 'wrong', number>> {
  readonly namespace: string
}

const COUNT_SOURCES = statement(`select namespace,
    count(*) filter (where ${IS_SEARCHABLE} and state not in ('queued', 'running'))::int as learned,
    count(*) filter (where ${IS_SEARCHABLE} and state in ('queued', 'running'))::int as busy,
    count(*) filter (where not (${IS_SEARCHABLE}))::int as wrong
  from (${ALL_SOURCES}) as s
  where state <> 'removing' and ($2::text is null or namespace <> $2) group by namespace`)

const COUNT_WAITING = statement(
  `select count(*)::int as count from (${PATCHES}) as p where p.status = 'proposed'`,
)

const COUNT_FACTS = statement(`select n.name, count(f.id)::int as facts
  from namespaces n left join facts f on f.namespace_id = n.id and ${IS_KNOWN}
  where n.reflection_id = $1 group by n.name order by n.name`)

type NamespaceMethods = Pick<ReflectionStore, 'addNamespace' | 'publish' | 'unpublish'>

/** The namespaces of a reflection, and which are published. */
function createNamespaceMethods({ transact, jobs }: StoreHost): NamespaceMethods {
  const setPublished = (
    reflectionId: ReflectionId,
    change: PublishChange,
    by: PersonId,
  ): Promise<PublishChangeResult> =>
    transact(async (execute) => {
      const before = await requireReflection(
        execute<ReflectionRow>(LOCK_AND_READ, [reflectionId]),
        reflectionId,
      )
      await requireCurrentPreview(execute, reflectionId, change)
      const { names, isPublished } = change
      const changed = await execute<{ name: string; was_published: boolean }>(SET_PUBLISHED, [
        reflectionId,
        [...names],
        isPublished,
      ])
      requirePublishable(names, before)
      for (const name of new Set(names)) {
        await execute(RECORD_ACTION, [reflectionId, by, isPublished ? 'published' : 'unpublished', name])
      }
      await execute(RAISE_PUBLISH_REVISION, [reflectionId])
      await execute(MARK_PUBLIC_AGENTS_STALE, [reflectionId])
      const unpublished = changed.filter((one) => !isPublished && one.was_published).map(({ name }) => name)
      const { ended } =
        unpublished.length > 0 ? await endPublicSessions(execute, reflectionId, unpublished) : { ended: [] }
      const [now] = await execute<ReflectionRow>(LOCK_AND_READ, [reflectionId])
      await requestRebuild(jobs, execute, reflectionId)
      return { reflection: toReflection(now ?? before), ended }
    })

  return {
    async addNamespace(reflectionId, name, by) {
      try {
        return await transact(async (execute) => {
          await requireReflection(
            execute(ADD_NAMESPACE, [createId('nsp_'), reflectionId, name]),
            reflectionId,
          )
          await execute(RECORD_ACTION, [reflectionId, by, 'namespace_added', name])
          return { name, isPublished: false }
        })
      } catch (error) {
        if (getErrorCode(error) !== UNIQUE_VIOLATION) throw error
        throw new PlatformError('validation', {
          message: `The namespace ${name} already exists. Use it, or choose another name.`,
        })
      }
    },

    async publish(reflectionId, names, by, previewHash) {
      refuseConversations(names)
      return (await setPublished(reflectionId, { names, isPublished: true, previewHash }, by)).reflection
    },

    unpublish: (reflectionId, names, by) => setPublished(reflectionId, { names, isPublished: false }, by),
  }
}

interface PublishChange {
  readonly names: readonly string[]
  readonly isPublished: boolean
  /** The hash of the preview that a person saw, if any. */
  readonly previewHash?: string | undefined
}

/** Runs while the reflection is locked, so that no source is added in between. */
async function requireCurrentPreview(
  execute: Run,
  reflectionId: ReflectionId,
  { names, previewHash }: PublishChange,
): Promise<void> {
  if (previewHash === undefined) return
  const change = { namespaces: [...names], publish: true }
  const preview = await readPublicPreview(execute, reflectionId, change)
  if (preview?.previewHash !== previewHash) throw new PlatformError('preview_outdated', { reflectionId })
}

const LOCK_AND_READ = statement(`
  select ${REFLECTION_COLUMNS} from reflections r where r.id = $1 and r.removed_at is null for no key update of r`)

const SET_PUBLISHED = statement(`update namespaces n set is_published = $3
  from (select id, is_published from namespaces where reflection_id = $1 and name = any($2::text[])) as before
  where n.id = before.id
  returning n.name, before.is_published as was_published`)

const ADD_NAMESPACE = statement(`insert into namespaces (id, reflection_id, name)
  select $1, id, $3 from reflections where id = $2 and removed_at is null
  returning id`)
