import {
  CONVERSATIONS,
  type PersonId,
  PlatformError,
  type Reflection,
  type ReflectionId,
} from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { codeOf } from '../server/unavailable.ts'
import { newId } from './new-id.ts'
import { AUDIT } from './audit.ts'
import { REFLECTION_COLUMNS } from './reflections.ts'
import { type ReflectionRow, toReflection } from './rows.ts'
import type { StoreHost } from './store-host.ts'

type Part = Pick<ReflectionStore, 'addNamespace' | 'publish' | 'unpublish'>

const UNIQUE_VIOLATION = '23505'

/** What a reflection's knowledge is divided into, and what of it is public. */
export function namespaces({ transact }: StoreHost): Part {
  const setPublished = (
    reflectionId: ReflectionId,
    names: readonly string[],
    isPublished: boolean,
    by: PersonId,
  ): Promise<Reflection> =>
    transact(async (within) => {
      const [row] = await within<ReflectionRow>(LOCK, [reflectionId])
      if (!row) throw new PlatformError('reflection_not_found', { reflectionId })
      const changed = await within(SET_PUBLISHED, [reflectionId, [...names], isPublished])
      if (changed.length < new Set(names).size) throw unknownNamespace(row, names)
      for (const name of new Set(names)) {
        await within(AUDIT, [reflectionId, by, isPublished ? 'published' : 'unpublished', name])
      }
      await within(RAISE, [reflectionId])
      const [now] = await within<ReflectionRow>(LOCK, [reflectionId])
      return toReflection(now ?? row)
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

    async publish(reflectionId, names, by) {
      if (names.includes(CONVERSATIONS)) {
        throw new PlatformError('validation', {
          message: `The namespace ${CONVERSATIONS} holds what people said in confidence, and cannot be published. Leave it out.`,
        })
      }
      return setPublished(reflectionId, names, true, by)
    },

    unpublish: (reflectionId, names, by) => setPublished(reflectionId, names, false, by),
  }
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
  text: `update namespaces set is_published = $3 where reflection_id = $1 and name = any($2::text[])
    returning id`,
}

const RAISE = {
  name: 'raise_publish_revision',
  text: 'update reflections set publish_revision = publish_revision + 1 where id = $1',
}

const ADD = {
  name: 'add_namespace',
  text: `insert into namespaces (id, reflection_id, name)
    select $1, id, $3 from reflections where id = $2 and removed_at is null
    returning id`,
}
