import {
  type Patch,
  type PatchId,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type ReviewPatch,
} from '@parley/contracts'
import { createConfidentialFilter, toReadablePatch } from '../access/confidential.ts'
import { refuseWrite } from '../access/enter-reflection.ts'
import type { KnowledgeMember } from './change-sources.ts'
import { checkReview } from './check-source-change.ts'

type Filter = ReturnType<typeof createConfidentialFilter>

type PatchMember = KnowledgeMember<{
  findPatch(reflectionId: ReflectionId, patchId: PatchId, seen: Filter): Promise<Patch | undefined>
}>

interface PatchReader {
  isPreparing(reflectionId: ReflectionId, patchId: PatchId, seen: Filter): Promise<boolean>
}

interface ReviewStore extends PatchReader {
  review(reflectionId: ReflectionId, patchId: PatchId, decision: ReviewPatch, by: PersonId): Promise<void>
}

/** The patch, as the member reads it. Throws `patch_not_pending` while a correction's patch is being prepared. */
export async function findReadablePatch(
  { reflectionId, personId, role, knowledge }: PatchMember,
  patchId: PatchId,
  reflections: PatchReader,
): Promise<Patch> {
  const filter = createConfidentialFilter(role, personId)
  const patch = await knowledge.findPatch(reflectionId, patchId, filter)
  if (patch) return toReadablePatch(patch, role)
  if (await reflections.isPreparing(reflectionId, patchId, filter)) {
    throw new PlatformError('patch_not_pending', {
      message: `The patch ${patchId} is still being prepared. Try again in a moment.`,
      patchId,
    })
  }
  throw new PlatformError('not_found', { message: `There is no patch ${patchId} in this reflection.` })
}

/** Queues a decision about a patch, if the member may change all of its namespaces. Returns the patch before it. */
export async function reviewPatch(
  member: PatchMember,
  patchId: PatchId,
  decision: ReviewPatch,
  reflections: ReviewStore,
): Promise<Patch> {
  const patch = await findReadablePatch(member, patchId, reflections)
  refuseWrite(
    member.reach,
    patch.facts.map(({ namespace }) => namespace),
  )
  checkReview(patch, decision)
  await reflections.review(member.reflectionId, patch.id, decision, member.personId)
  return patch
}
