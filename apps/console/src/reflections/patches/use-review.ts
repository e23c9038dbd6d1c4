import type { ReflectionsClient } from '@parley/api-client'
import { type Patch, PlatformError, type ReflectionId, type ReviewPatch } from '@parley/contracts'
import { useReflectionChange } from '../use-reflection.ts'

const LOOK_AGAIN_MS = 400
const MOST_LOOKS = 75

/** What a person says of a patch. It is carried out in the background; done is it once the patch stands otherwise. */
export function useReview(reflectionId: ReflectionId, patch: Patch) {
  return useReflectionChange(reflectionId, async (reflections, said: ReviewPatch) => {
    await reflections.review({ reflectionId, patchId: patch.id, said })
    await untilChanged(reflections, reflectionId, patch)
  })
}

async function untilChanged(reflections: ReflectionsClient, reflectionId: ReflectionId, before: Patch) {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { status } = await reflections.patch({ reflectionId, patchId: before.id })
    if (status !== before.status) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
  throw new PlatformError('server_unreachable', {
    message:
      'Your answer is kept, but no worker has come to it yet. See that one runs; it will then be carried out.',
  })
}
