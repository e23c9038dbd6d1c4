import {
  CONVERSATIONS,
  type PatchId,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SourcePassage,
} from '@parley/contracts'
import type { KnowledgeReader, ReflectionStore, UnpublishResult } from '@parley/knowledge'
import { codeOf } from '../login/database-error.ts'
import type { Run } from '../run-statements.ts'
import { readPublicPreview } from '../voice/promoted-artifacts.ts'
import { AUDIT, audit } from './audit.ts'
import { IS_KNOWN, facts } from './facts.ts'
import { members } from './members.ts'
import { PATCHES, visibilityValues, patches } from './patches.ts'
import { MARK_STALE, RAISE_PUBLISH_REVISION, endPublicSessions } from './public-scopes.ts'
import { REFLECTION_COLUMNS, reflections } from './reflections.ts'
import { toStorableJson } from './ingest-rows.ts'
import { type ReflectionRow, toReflection } from './rows.ts'
import { ALL_SOURCES, IS_SEARCHABLE, sources } from './sources.ts'
import {
  type MembersHost,
  type StoreHost,
  requestRebuild,
  newId,
  requireKnownNamespaces,
  requireReflection,
} from './store-host.ts'
import { statement } from '../statement.ts'

/** The store of reflections, through the login of `parley_serving`, which can read knowledge but not write it. */
export const postgresReflectionStore = (host: MembersHost): ReflectionStore => ({
  ...reflections(host),
  ...members(host),
  ...namespaces(host),
  ...sources(host),
  ...summary(host),
  ...sourceText(host),
  ...facts(host),
  ...patches(host),
  ...corrections(host),
  ...audit(host),
  readAs: (capability) => {
    const transact = host.transactMember(capability)
    return reader({ ...host, run: (query, values) => transact((within) => within(query, values)) })
  },
})

const reader = (host: StoreHost): KnowledgeReader => ({
  ...summary(host),
  ...sourceText(host),
  ...facts(host),
  findSource: sources(host).findSource,
  sources: sources(host).sources,
  patches: patches(host).patches,
  findPatch: patches(host).findPatch,
})

/** Requests corrections. The patch gets its id at once; a job creates it. */
const corrections = ({ transact, jobs }: StoreHost): Pick<ReflectionStore, 'proposeCorrection'> => ({
  proposeCorrection: (reflectionId, { fact, correction }, by) =>
    transact(async (within) => {
      const patchId = newId('pat_') as PatchId
      const payload = toStorableJson({ patchId, fact, correction })
      await requireReflection(within(REQUEST_CORRECTION, [reflectionId, payload, by]), reflectionId)
      await jobs.send('propose-correction', { patchId }, within, patchId)
      return { patchId }
    }),
})

const REQUEST_CORRECTION = statement(`insert into intake (reflection_id, kind, payload, requested_by)
  select id, 'correction', $2::json, $3 from reflections where id = $1 and removed_at is null returning id`)

/** The current text of a source: its searched chunks, in order. */
function sourceText({ run }: Pick<StoreHost, 'run'>): Pick<ReflectionStore, 'sourceText'> {
  return {
    async sourceText(reflectionId, sourceId, { after, limit, words }) {
      const [counts] = await run<{ count: number; found_at: number | null }>(COUNT_PASSAGES, [
        reflectionId,
        sourceId,
        words,
      ])
      const { count = 0, found_at: foundAt = null } = counts ?? {}
      const from = foundAt === null ? after : Math.max(0, foundAt - 1 - BEFORE)
      const items = await run<SourcePassage>(PASSAGES, [reflectionId, sourceId, from, limit])
      return { items: [...items], count, ...(foundAt !== null && { foundAt }) }
    },
  }
}

/** The number of passages before the found one. */
const BEFORE = 3

const COUNT_PASSAGES = statement(`select count(*)::int as count,
    min(ordinal) filter (where $3::text is not null and position($3 in text) > 0) as found_at
  from chunks where reflection_id = $1 and source_id = $2 and is_current`)

const PASSAGES = statement(`select ordinal, text, place from chunks
  where reflection_id = $1 and source_id = $2 and is_current and ordinal > $3
  order by ordinal limit $4`)

/** Counts of a reflection's sources, facts and waiting patches. */
function summary({ run }: Pick<StoreHost, 'run'>): Pick<ReflectionStore, 'summary'> {
  return {
    async summary(reflectionId, visibility) {
      const values = [reflectionId, visibility.excludeConfidential ? CONVERSATIONS : null]
      const [counted, [waiting], rows] = await Promise.all([
        run<SourcesRow>(SOURCES, values),
        run<{ count: number }>(WAITING, [reflectionId, ...visibilityValues({ ...visibility })]),
        run<{ name: string; facts: number }>(FACTS, [reflectionId]),
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
    },
  }
}

interface SourcesRow extends Readonly<Record<'learned' | 'busy' | 'wrong', number>> {
  readonly namespace: string
}

const SOURCES = statement(`select namespace,
    count(*) filter (where ${IS_SEARCHABLE} and state not in ('queued', 'running'))::int as learned,
    count(*) filter (where ${IS_SEARCHABLE} and state in ('queued', 'running'))::int as busy,
    count(*) filter (where not (${IS_SEARCHABLE}))::int as wrong
  from (${ALL_SOURCES}) as s
  where state <> 'removing' and ($2::text is null or namespace <> $2) group by namespace`)

const WAITING = statement(`select count(*)::int as count from (${PATCHES}) as p where p.status = 'proposed'`)

const FACTS = statement(`select n.name, count(f.id)::int as facts
  from namespaces n left join facts f on f.namespace_id = n.id and ${IS_KNOWN}
  where n.reflection_id = $1 group by n.name order by n.name`)

type Part = Pick<ReflectionStore, 'addNamespace' | 'publish' | 'unpublish'>

const UNIQUE_VIOLATION = '23505'

/** The namespaces of a reflection, and which are published. */
function namespaces({ transact, jobs }: StoreHost): Part {
  const setPublished = (reflectionId: ReflectionId, change: Change, by: PersonId): Promise<UnpublishResult> =>
    transact(async (within) => {
      const before = await requireReflection(within<ReflectionRow>(LOCK, [reflectionId]), reflectionId)
      await requireCurrentPreview(within, reflectionId, change)
      const { names, isPublished } = change
      const changed = await within<{ was_published: boolean }>(SET_PUBLISHED, [
        reflectionId,
        [...names],
        isPublished,
      ])
      requireKnownNamespaces(
        names,
        before.namespaces.map(({ name }) => name),
      )
      for (const name of new Set(names)) {
        await within(AUDIT, [reflectionId, by, isPublished ? 'published' : 'unpublished', name])
      }
      await within(RAISE_PUBLISH_REVISION, [reflectionId])
      await within(MARK_STALE, [reflectionId])
      const isAnyUnpublished = !isPublished && changed.some(({ was_published: wasPublished }) => wasPublished)
      const { ended } = isAnyUnpublished ? await endPublicSessions(within, reflectionId) : { ended: [] }
      const [now] = await within<ReflectionRow>(LOCK, [reflectionId])
      await requestRebuild(jobs, within, reflectionId)
      return { reflection: toReflection(now ?? before), ended }
    })

  return {
    async addNamespace(reflectionId, name, by) {
      try {
        return await transact(async (within) => {
          await requireReflection(within(ADD, [newId('nsp_'), reflectionId, name]), reflectionId)
          await within(AUDIT, [reflectionId, by, 'namespace_added', name])
          return { name, isPublished: false }
        })
      } catch (error) {
        if (codeOf(error) !== UNIQUE_VIOLATION) throw error
        throw new PlatformError('validation', {
          message: `The namespace ${name} already exists. Use it, or choose another name.`,
        })
      }
    },

    async publish(reflectionId, names, by, previewHash) {
      if (names.includes(CONVERSATIONS)) {
        throw new PlatformError('validation', {
          message: `The namespace ${CONVERSATIONS} is confidential and cannot be published. Leave it out.`,
        })
      }
      return (await setPublished(reflectionId, { names, isPublished: true, previewHash }, by)).reflection
    },

    unpublish: (reflectionId, names, by) => setPublished(reflectionId, { names, isPublished: false }, by),
  }
}

interface Change {
  readonly names: readonly string[]
  readonly isPublished: boolean
  /** The hash of the preview that a person saw, if any. */
  readonly previewHash?: string | undefined
}

/** Runs while the reflection is locked, so that no source is added in between. */
async function requireCurrentPreview(
  within: Run,
  reflectionId: ReflectionId,
  { names, previewHash }: Change,
): Promise<void> {
  if (previewHash === undefined) return
  const change = { namespaces: [...names], publish: true }
  const preview = await readPublicPreview(within, reflectionId, change)
  if (preview?.previewHash !== previewHash) throw new PlatformError('preview_outdated', { reflectionId })
}

const LOCK = statement(`
  select ${REFLECTION_COLUMNS} from reflections r where r.id = $1 and r.removed_at is null for no key update of r`)

const SET_PUBLISHED = statement(`update namespaces n set is_published = $3
  from (select id, is_published from namespaces where reflection_id = $1 and name = any($2::text[])) as before
  where n.id = before.id
  returning before.is_published as was_published`)

const ADD = statement(`insert into namespaces (id, reflection_id, name)
  select $1, id, $3 from reflections where id = $2 and removed_at is null
  returning id`)
