import type { PatchId } from '@parley/contracts'
import { correctFact } from '../facts/correct-fact.ts'
import type { LearningStore } from '../ports/reflection-store.ts'

/** Makes the patch of what a person wants corrected. It may be done again: the patch is made once. */
export async function proposeCorrection(patchId: PatchId, store: LearningStore): Promise<void> {
  const asked = await store.readCorrection(patchId)
  if (asked) await store.saveCorrection(asked, await correctFact(asked))
}
