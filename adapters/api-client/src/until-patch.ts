import { type ErrorCode, type Patch, type PatchId, PlatformError, type ReflectionId } from '@parley/contracts'
import type { ReflectionsClient } from './reflections/reflections-client.ts'

const POLL_MS = 300
const MAX_POLLS = 100

interface PatchRef {
  readonly reflectionId: ReflectionId
  readonly patchId: PatchId
}

/** Waits until a worker has created or updated the patch. */
export async function untilPatch(
  reflections: Pick<ReflectionsClient, 'patch'>,
  { reflectionId, patchId }: PatchRef,
  isSettled: (patch: Patch) => boolean,
): Promise<Patch> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const patch = await reflections.patch({ reflectionId, patchId }).catch(unlessMissing)
    if (patch && isSettled(patch)) return patch
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new PlatformError('server_unreachable', {
    message: 'Your change is saved, but no worker has processed it yet. Check that a worker is running.',
  })
}

/** The server reports a patch that no worker has created yet as not pending. */
function unlessMissing(failure: unknown): undefined {
  if (failure instanceof PlatformError && MISSING.includes(failure.code)) return undefined
  throw failure
}

const MISSING: readonly string[] = ['not_found', 'patch_not_pending'] satisfies readonly ErrorCode[]
