import type { LearningStore } from '@parley/knowledge'
import type { Run } from '../queries.ts'
import { applyPatch, rejectPatch, revertPatch } from './apply-patch.ts'
import { LOCK_REFLECTION } from './apply-run.ts'
import { REVIEWED_STATUS } from './patches.ts'
import type { IngestStoreHost } from './ingest-store.ts'

/** What jobs do beside ingest, in Postgres, through the login of `parley_learning`. */
export function postgresLearningStore({ run, transact }: IngestStoreHost): LearningStore {
  return {
    applyReview: (patchId, said, by) =>
      transact(async (within) => {
        const [home] = await within<{ reflection_id: string }>(HOME_OF_PATCH, [patchId])
        if (!home) return
        await within(LOCK_REFLECTION, [home.reflection_id])
        const [patch] = await within<{ status: string }>(LOCK_PATCH, [patchId])
        // Asked for twice, or another person was quicker.
        if (patch?.status !== REVIEWED_STATUS[said]) return
        await DECISIONS[said](within, patchId, by)
      }),

    async eraseSource(sourceId) {
      await run(ERASE_SOURCE, [sourceId])
    },

    async eraseReflection(reflectionId) {
      await run(ERASE_REFLECTION, [reflectionId])
    },
  }
}

const DECISIONS: Record<
  keyof typeof REVIEWED_STATUS,
  (within: Run, patchId: string, by: string) => Promise<void>
> = {
  approve: applyPatch,
  reject: rejectPatch,
  revert: revertPatch,
}

const HOME_OF_PATCH = {
  name: 'home_of_patch',
  text: 'select reflection_id from patches where id = $1',
}

const LOCK_PATCH = { name: 'lock_patch', text: 'select status from patches where id = $1 for update' }

const ERASE_SOURCE = { name: 'erase_source', text: 'select erase_source($1)' }

const ERASE_REFLECTION = { name: 'erase_reflection', text: 'select erase_reflection($1)' }
