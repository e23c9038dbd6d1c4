import type {
  Audience,
  LedgerPage,
  PreviewPublish,
  ReflectionId,
  StoredGeneration,
  VoiceArtifacts,
} from '@parley/contracts'
import type { ArtifactInput } from '../artifacts/artifact-input.ts'
import type { PublicPreview } from '../artifacts/preview-publish.ts'
import type { Verdict } from '../approval/evaluate-artifacts.ts'

/**
 * Keeps what speaks for a reflection, for background jobs. What is kept of a build is one transaction each, and may be
 * kept again with the same outcome.
 */
export interface ArtifactStore {
  /**
   * A number above all that were given out, and then what is known and published, at one moment: who has the higher
   * number knows all that changed before the lower one was given. Undefined where the reflection was removed.
   */
  begin(reflectionId: ReflectionId): Promise<Build | undefined>
  /** What serves now. */
  serving(reflectionId: ReflectionId): Promise<VoiceArtifacts | undefined>
  /**
   * Whether what serves says just this of the same scope, and no build with a lower number may still take its place.
   * Then there is nothing to keep, and this build is over.
   */
  confirm(build: Build, artifacts: VoiceArtifacts): Promise<boolean>
  /** The candidate as it is stored, which is what is evaluated. Fails where a source of it was removed since. */
  addCandidate(build: Build, artifacts: VoiceArtifacts): Promise<unknown>
  /** The verdict, and what follows from it: all of the generation serves, or nothing; `outrun` where a higher one does. */
  settle(build: Build, verdict: Verdict): Promise<'promoted' | 'rejected' | 'outrun'>
  /**
   * Enqueues a build of every reflection whose last one was given up, or of which nothing serves that was built from what
   * is published: of these `at-start` all, since another version may approve what this one's forerunner did not;
   * `meanwhile` those without a recent build request.
   */
  askForMissing(when: 'at-start' | 'meanwhile'): Promise<void>
}

export interface Build {
  readonly reflectionId: ReflectionId
  readonly generation: number
  readonly input: ArtifactInput
}

/** What serves now, and how it came to, for serving. */
export interface RuntimeReader {
  /** What a change of what is published would do, at one moment; undefined where there is no such reflection. */
  previewPublish(reflectionId: ReflectionId, wanted: PreviewPublish): Promise<PublicPreview | undefined>
  /**
   * What serves an audience, the public unless another is named: nothing while it holds what is taken from them, by the
   * removal of its source or by its move out of what is published.
   */
  promoted(
    reflectionId: ReflectionId,
    audience?: Audience,
    signal?: AbortSignal,
  ): Promise<PromotedArtifacts | undefined>
  /**
   * What the promoted artifacts were built from, as far as the capability of a member opens it; the database itself keeps
   * to that.
   */
  promotedEvidence(capability: Uint8Array): Promise<PromotedEvidence | undefined>
  /** Latest first. */
  ledger(
    reflectionId: ReflectionId,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<LedgerPage>
  generation(reflectionId: ReflectionId, generation: number): Promise<StoredGeneration | undefined>
}

export type PromotedEvidence = Pick<ArtifactInput, 'displayName' | 'creatorName' | 'formerNames' | 'evidence'>

export interface PromotedArtifacts {
  readonly generation: number
  readonly artifacts: VoiceArtifacts
}
