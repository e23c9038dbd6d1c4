import {
  CONVERSATIONS,
  MAX_SOURCE_BYTES,
  type Patch,
  PlatformError,
  REVIEWED_STATUS,
  type ReviewPatch,
  type Source,
} from '@parley/contracts'

/** Throws for a source that is too long, and for one in the namespace of the transcripts. */
export function checkNewSource({
  namespace,
  bytes,
}: Pick<Source, 'namespace'> & { readonly bytes: Uint8Array }): void {
  if (namespace === CONVERSATIONS) {
    throw new PlatformError('namespace_reserved', {
      message: `The namespace ${CONVERSATIONS} holds the transcripts of sessions, and nothing is added to it by hand. Name another.`,
    })
  }
  if (bytes.length > MAX_SOURCE_BYTES) {
    throw new PlatformError('payload_too_large', {
      message: `A source has at most ${MAX_SOURCE_BYTES} bytes. Split it into several.`,
    })
  }
}

/** Throws for the transcript of a session: its confidential words must not become readable in another way. */
export function refuseTranscript({ id, namespace }: Pick<Source, 'id' | 'namespace'>): void {
  if (namespace !== CONVERSATIONS) return
  throw new PlatformError('namespace_reserved', {
    message: `The source ${id} is the transcript of a session. It cannot be changed or moved, only removed.`,
    sourceId: id,
  })
}

const REVIEW_RULES: Record<ReviewPatch, string> = {
  approve: 'Only a patch that is waiting can be approved.',
  reject: 'Only a patch that is waiting can be rejected; one that was applied can be reverted.',
  revert: 'Only a patch that was applied can be reverted.',
}

const STATUS_TEXT: Record<Patch['status'], string> = {
  proposed: 'is still waiting for a decision',
  applied: 'was applied already',
  rejected: 'was rejected already',
  reverted: 'was reverted already',
}

/** Throws if the decision is not possible for a patch in this status. */
export function checkReview({ id, status }: Pick<Patch, 'id' | 'status'>, decision: ReviewPatch): void {
  if (status === REVIEWED_STATUS[decision]) return
  throw new PlatformError('patch_not_pending', {
    message: `The patch ${id} ${STATUS_TEXT[status]}. ${REVIEW_RULES[decision]}`,
    patchId: id,
    status,
  })
}
