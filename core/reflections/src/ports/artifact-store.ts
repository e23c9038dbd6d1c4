import type {
  Audience,
  LedgerPage,
  PreviewPublish,
  ReflectionId,
  StoredGeneration,
  VoiceArtifacts,
} from '@parley/contracts'
import type { ArtifactInput } from '../artifacts/build-voice-artifacts.ts'
import type { PublicPreview } from '../artifacts/preview-public-content.ts'
import type { ArtifactsVerdict } from '../artifacts/evaluate-artifacts.ts'

/** Stores the artifacts of reflections, for background jobs. Each method is one transaction and may be repeated. */
export interface ArtifactStore {
  /**
   * A new generation number and then a snapshot of the facts and the published namespaces. So a higher generation knows
   * every change before a lower one began. Undefined if the reflection was removed.
   */
  begin(reflectionId: ReflectionId): Promise<ArtifactBuild | undefined>
  /** The promoted artifacts. */
  findPromoted(reflectionId: ReflectionId): Promise<VoiceArtifacts | undefined>
  /**
   * Finishes the build without a new generation, and returns true, if the promoted artifacts are the same for the same
   * scope and no lower build can still replace them.
   */
  confirm(build: ArtifactBuild, artifacts: VoiceArtifacts): Promise<boolean>
  /** Stores the candidate and returns it as stored, for evaluation. Fails if one of its sources was removed. */
  addCandidate(build: ArtifactBuild, artifacts: VoiceArtifacts): Promise<unknown>
  /** Stores the verdict and promotes or rejects the whole generation; `outrun` if a higher one is promoted. */
  finish(build: ArtifactBuild, verdict: ArtifactsVerdict): Promise<'promoted' | 'rejected' | 'outrun'>
  /**
   * Enqueues builds of reflections whose last build was given up, or whose artifacts do not match what they publish.
   * `at-start` takes all of them, since a new version of the rules may approve them; `periodically` only those without a
   * recent request.
   */
  requestMissingBuilds(when: 'at-start' | 'periodically'): Promise<void>
}

export interface ArtifactBuild {
  readonly reflectionId: ReflectionId
  readonly generation: number
  readonly input: ArtifactInput
}

/** Reads the promoted artifacts and the version history. */
export interface ArtifactReader {
  /** The effect of publishing or unpublishing; undefined for an unknown reflection. */
  previewPublish(reflectionId: ReflectionId, wanted: PreviewPublish): Promise<PublicPreview | undefined>
  /** The promoted artifacts of an audience, by default the public. Undefined while they hold removed or unpublished sources. */
  readPromoted(
    reflectionId: ReflectionId,
    audience?: Audience,
    signal?: AbortSignal,
  ): Promise<PromotedArtifacts | undefined>
  /** The evidence of the promoted artifacts that a member's capability opens. The database enforces it. */
  readPromotedEvidence(capability: Uint8Array): Promise<PromotedEvidence | undefined>
  /** Latest first. */
  readLedger(
    reflectionId: ReflectionId,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<LedgerPage>
  readGeneration(reflectionId: ReflectionId, generation: number): Promise<StoredGeneration | undefined>
}

export type PromotedEvidence = Pick<ArtifactInput, 'displayName' | 'creatorName' | 'formerNames' | 'evidence'>

export interface PromotedArtifacts {
  readonly generation: number
  readonly artifacts: VoiceArtifacts
}
