import type { PromptPack, PublicDossier, VoiceArtifacts } from '@parley/contracts'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { buildPublicDossier } from '../dossier/build-dossier.ts'
import { buildPromptPack } from './build-prompt-pack.ts'
import { getReflectionPromptPack } from './prompt-pack-kind.ts'
import type { PromotedEvidence } from '../ports/artifact-store.ts'

/**
 * The artifacts as if the reflection had only these namespaces: what a member is told who does not reach everything. No
 * model's words are in them, since those were written from all.
 */
export function narrowArtifacts(
  { displayName, creatorName, formerNames, evidence }: PromotedEvidence,
  namespaces: readonly string[],
  sha256: Sha256,
): VoiceArtifacts {
  const reached = evidence.filter(({ namespace }) => namespaces.includes(namespace))
  const names = { displayName, creatorName, formerNames }
  return buildVoiceArtifacts({ ...names, evidence: reached, namespaces, publishedNamespaces: [] }, sha256)
}

/** The public dossier of a promoted generation as if only these namespaces of it were published: all that a narrower link may tell. */
export function narrowDossier(
  { voice_evidence_pack, reflection_voice_dossier }: VoiceArtifacts,
  namespaces: readonly string[],
  sha256: Sha256,
): PublicDossier {
  const { displayName, creatorName, formerNames } = reflection_voice_dossier.private
  const evidence = voice_evidence_pack.items.filter(({ namespace }) => namespaces.includes(namespace))
  return buildPublicDossier({ displayName, creatorName, formerNames, evidence, namespaces }, sha256)
}

/** The public pack of the same. */
export function narrowPack(
  artifacts: VoiceArtifacts,
  namespaces: readonly string[],
  sha256: Sha256,
): PromptPack {
  const dossier = narrowDossier(artifacts, namespaces, sha256)
  return buildPromptPack(getReflectionPromptPack('public', 'public', dossier.maturity), dossier, sha256)
}
