import { CONVERSATIONS, type PersonId, PlatformError, type ReflectionId } from '@parley/contracts'
import type { ReflectionStore, Unpublished } from '@parley/knowledge'
import type { Run } from '../queries.ts'
import { codeOf } from '../server/unavailable.ts'
import { readPublicPreview } from '../voice/read-public-preview.ts'
import { askToRebuild } from './ask-to-rebuild.ts'
import { endPublic, MARK_STALE } from './end-public.ts'
import { newId } from './new-id.ts'
import { RAISE_PUBLISH_REVISION } from './publish-revision.ts'
import { AUDIT } from './audit.ts'
import { REFLECTION_COLUMNS } from './reflections.ts'
import { type ReflectionRow, toReflection } from './rows.ts'
import type { StoreHost } from './store-host.ts'

type Part = Pick<ReflectionStore, 'addNamespace' | 'publish' | 'unpublish'>

const UNIQUE_VIOLATION = '23505'

/** What a reflection's knowledge is divided into, and what of it is public. */
export function namespaces({ transact, jobs }: StoreHost): Part {
  const setPublished = (reflectionId: ReflectionId, change: Change, by: PersonId): Promise<Unpublished> =>
    transact(async (within) => {
      const [row] = await within<ReflectionRow>(LOCK, [reflectionId])
      if (!row) throw new PlatformError('reflection_not_found', { reflectionId })
      await refuseOutdated(within, reflectionId, change)
      const { names, isPublished } = change
      const changed = await within<ChangedRow>(SET_PUBLISHED, [reflectionId, [...names], isPublished])
      if (changed.length < new Set(names).size) throw unknownNamespace(row, names)
      for (const name of new Set(names)) {
        await within(AUDIT, [reflectionId, by, isPublished ? 'published' : 'unpublished', name])
      }
      await within(RAISE_PUBLISH_REVISION, [reflectionId])
      await within(MARK_STALE, [reflectionId])
      const isLess = !isPublished && changed.some(({ was_published: wasPublished }) => wasPublished)
      const { ended } = isLess ? await endPublic(within, reflectionId) : { ended: [] }
      const [now] = await within<ReflectionRow>(LOCK, [reflectionId])
      await askToRebuild(jobs, within, reflectionId)
      return { reflection: toReflection(now ?? row), ended }
    })

  return {
    async addNamespace(reflectionId, name, by) {
      try {
        return await transact(async (within) => {
          const [row] = await within(ADD, [newId('nsp_'), reflectionId, name])
          if (!row) throw new PlatformError('reflection_not_found', { reflectionId })
          await within(AUDIT, [reflectionId, by, 'namespace_added', name])
          return { name, isPublished: false }
        })
      } catch (error) {
        if (codeOf(error) !== UNIQUE_VIOLATION) throw error
        throw new PlatformError('validation', {
          message: `There is a namespace ${name} already. Use it, or choose another name.`,
        })
      }
    },

    async publish(reflectionId, names, by, previewHash) {
      if (names.includes(CONVERSATIONS)) {
        throw new PlatformError('validation', {
          message: `The namespace ${CONVERSATIONS} holds what people said in confidence, and cannot be published. Leave it out.`,
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
  /** Of the preview that somebody looked at, if anybody did. */
  readonly previewHash?: string | undefined
}

/** While the reflection is locked, so that no source comes to it in between. */
async function refuseOutdated(
  within: Run,
  reflectionId: ReflectionId,
  { names, previewHash }: Change,
): Promise<void> {
  if (previewHash === undefined) return
  const wanted = { namespaces: [...names], publish: true }
  const preview = await readPublicPreview(within, reflectionId, wanted)
  if (preview?.previewHash !== previewHash) throw new PlatformError('preview_outdated', { reflectionId })
}

interface ChangedRow {
  readonly was_published: boolean
}

function unknownNamespace({ namespaces: known }: ReflectionRow, names: readonly string[]): PlatformError {
  const there = known.map(({ name }) => name)
  const missing = names.filter((name) => !there.includes(name))
  return new PlatformError('validation', {
    message: `There is no namespace ${missing.join(', ')}. There are: ${there.join(', ')}.`,
  })
}

const LOCK = {
  name: 'lock_reflection',
  text: `select ${REFLECTION_COLUMNS} from reflections r where r.id = $1 and r.removed_at is null for update of r`,
}

const SET_PUBLISHED = {
  name: 'set_published',
  text: `update namespaces n set is_published = $3
    from (select id, is_published from namespaces where reflection_id = $1 and name = any($2::text[])) as before
    where n.id = before.id
    returning before.is_published as was_published`,
}

const ADD = {
  name: 'add_namespace',
  text: `insert into namespaces (id, reflection_id, name)
    select $1, id, $3 from reflections where id = $2 and removed_at is null
    returning id`,
}
