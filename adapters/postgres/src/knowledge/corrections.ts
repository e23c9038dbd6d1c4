import { PlatformError, type PatchId } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { newId } from './new-id.ts'
import type { StoreHost } from './store-host.ts'

/** What a person wants corrected. Its patch has its id from the start, and is made by a job. */
export const corrections = ({ transact, jobs }: StoreHost): Pick<ReflectionStore, 'proposeCorrection'> => ({
  proposeCorrection: (reflectionId, { fact, correction }, by) =>
    transact(async (within) => {
      const patchId = newId('pat_') as PatchId
      const payload = JSON.stringify({ patchId, fact, correction }).replaceAll('\\u0000', '')
      const [row] = await within(ASK_TO_CORRECT, [reflectionId, payload, by])
      if (!row) throw new PlatformError('reflection_not_found', { reflectionId })
      await jobs.send('propose-correction', { patchId }, within, patchId)
      return { patchId }
    }),
})

const ASK_TO_CORRECT = {
  name: 'ask_to_correct',
  text: `insert into intake (reflection_id, kind, payload, requested_by)
    select id, 'correction', $2::json, $3 from reflections where id = $1 and removed_at is null returning id`,
}
