import type { PromptPack, PublicDossier, VoiceArtifacts } from '@parley/contracts'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { buildPublicDossier } from '../dossier/build-dossier.ts'
import { buildPromptPack, getReflectionPromptPack } from './build-prompt-pack.ts'
import type { PromotedEvidence } from '../ports/artifact-store.ts'

/**
 * The artifacts as if the reflection had only these namespaces, for a member with limited reach. They have no narrative of
 * a model, since that was written from everything.
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

/** The public dossier as if only these namespaces were published, for a link to some of them. */
export function narrowDossier(
  { voice_evidence_pack, reflection_voice_dossier }: VoiceArtifacts,
  namespaces: readonly string[],
  sha256: Sha256,
): PublicDossier {
  const { displayName, creatorName, formerNames } = reflection_voice_dossier.private
  const evidence = voice_evidence_pack.items.filter(({ namespace }) => namespaces.includes(namespace))
  return buildPublicDossier({ displayName, creatorName, formerNames, evidence, namespaces }, sha256)
}

/** The public pack of the narrowed dossier. */
export function narrowPack(
  artifacts: VoiceArtifacts,
  namespaces: readonly string[],
  sha256: Sha256,
): PromptPack {
  const dossier = narrowDossier(artifacts, namespaces, sha256)
  return buildPromptPack(getReflectionPromptPack('public', 'public', dossier.maturity), dossier, sha256)
}
