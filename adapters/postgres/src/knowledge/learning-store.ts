import type { ReflectionId } from '@parley/contracts'
import type { LearningStore } from '@parley/knowledge'
import type { Run } from '../queries.ts'
import { applyPatch, rejectPatch, revertPatch } from './apply-patch.ts'
import { LOCK_REFLECTION } from './apply-run.ts'
import { askToRebuild } from './ask-to-rebuild.ts'
import { correctionPatches } from './correction-patch.ts'
import { REVIEWED_STATUS } from './patches.ts'
import type { IngestStoreHost } from './ingest-store.ts'
import { settleContradictions } from './settle-contradictions.ts'
import { settleRepeats } from './settle-repeats.ts'

/** What jobs do beside ingest, in Postgres, through the login of `parley_learning`. */
export function postgresLearningStore(host: IngestStoreHost): LearningStore {
  const { run, transact, jobs } = host
  return {
    ...correctionPatches(host),

    applyReview: (patchId, said, by) =>
      transact(async (within) => {
        const [home] = await within<HomeRow>(HOME_OF_PATCH, [patchId])
        if (!home) return
        await within(LOCK_REFLECTION, [home.reflection_id])
        const [patch] = await within<{ status: string }>(LOCK_PATCH, [patchId])
        // Asked for twice, or another person was quicker.
        if (patch?.status !== REVIEWED_STATUS[said]) return
        await DECISIONS[said](within, patchId, by)
        await settleRepeats(within, home.reflection_id)
        await askToRebuild(jobs, within, home.reflection_id)
      }),

    eraseSource: (sourceId) =>
      transact(async (within) => {
        const [home] = await within<HomeRow>(HOME_OF_SOURCE, [sourceId])
        await within(ERASE_SOURCE, [sourceId])
        if (!home) return
        await settleRepeats(within, home.reflection_id)
        await askToRebuild(jobs, within, home.reflection_id)
      }),

    async eraseReflection(reflectionId) {
      await run(ERASE_REFLECTION, [reflectionId])
    },
  }
}

interface HomeRow {
  readonly reflection_id: ReflectionId
}

const DECISIONS: Record<
  keyof typeof REVIEWED_STATUS,
  (within: Run, patchId: string, by: string) => Promise<void>
> = {
  async approve(within, patchId, by) {
    await settleContradictions(within, patchId)
    await applyPatch(within, patchId, by)
  },
  reject: rejectPatch,
  revert: revertPatch,
}

const HOME_OF_PATCH = {
  name: 'home_of_patch',
  text: 'select reflection_id from patches where id = $1',
}

const HOME_OF_SOURCE = { name: 'home_of_source', text: 'select reflection_id from sources where id = $1' }

const LOCK_PATCH = { name: 'lock_patch', text: 'select status from patches where id = $1 for update' }

const ERASE_SOURCE = { name: 'erase_source', text: 'select erase_source($1)' }

const ERASE_REFLECTION = { name: 'erase_reflection', text: 'select erase_reflection($1)' }
