import { type Patch, type PatchId, PlatformError, type ReflectionId } from '@parley/contracts'
import type { ReflectionsClient } from './reflections/reflections-client.ts'
import { ignoreErrors } from './request.ts'

const POLL_MS = 300
const MAX_POLLS = 100

interface PatchRef {
  readonly reflectionId: ReflectionId
  readonly patchId: PatchId
}

/** Waits until a worker has created or updated the patch. */
export async function waitForPatch(
  reflections: Pick<ReflectionsClient, 'patch'>,
  { reflectionId, patchId }: PatchRef,
  isSettled: (patch: Patch) => boolean,
): Promise<Patch> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    // The server reports a patch that no worker has created yet as not pending.
    const patch = await reflections
      .patch({ reflectionId, patchId })
      .catch(ignoreErrors('not_found', 'patch_not_pending'))
    if (patch && isSettled(patch)) return patch
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new PlatformError('server_unreachable', {
    message: 'Your change is saved, but no worker has processed it yet. Check that a worker is running.',
  })
}
