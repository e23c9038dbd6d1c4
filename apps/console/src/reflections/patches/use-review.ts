import { untilPatch } from '@parley/api-client'
import type { Patch, ReflectionId, ReviewPatch } from '@parley/contracts'
import { useReflectionChange } from '../use-reflection.ts'

/** What a person says of a patch. It is carried out in the background; done is it once the patch stands otherwise. */
export function useReview(reflectionId: ReflectionId, patch: Patch) {
  return useReflectionChange(reflectionId, async (reflections, said: ReviewPatch) => {
    const ref = { reflectionId, patchId: patch.id }
    await reflections.review({ ...ref, said })
    await untilPatch(reflections, ref, ({ status }) => status !== patch.status)
  })
}
