import { PackKind, Surface, type SyncMetadata, type VoiceArtifacts } from '@parley/contracts'
import { buildPrivateDossier, buildPublicDossier } from '../dossier/build-dossier.ts'
import { exploreNext } from '../interview/explore-next.ts'
import { buildPromptPack, isPublic } from '../packs/build-prompt-pack.ts'
import { getReflectionPromptPack } from '../packs/prompt-pack-kind.ts'
import type { ArtifactInput } from './artifact-input.ts'
import { buildCapsule, tokenEstimateOf } from './build-capsule.ts'
import { sealed, type Sha256 } from './content-hash.ts'

/** The artifacts of a reflection, from evidence alone: the same evidence gives the same artifacts. */
export function buildVoiceArtifacts(input: ArtifactInput, sha256: Sha256): VoiceArtifacts {
  const { displayName, creatorName, formerNames, evidence, namespaces, publishedNamespaces, written } = input
  const published = evidence.filter(({ namespace }) => publishedNamespaces.includes(namespace))
  const names = { displayName, creatorName, formerNames }
  const dossiers = {
    private: buildPrivateDossier({ ...names, evidence, namespaces, written }, sha256),
    public: buildPublicDossier({ ...names, evidence: published, namespaces: publishedNamespaces }, sha256),
  }
  const capsule = buildCapsule(displayName, evidence, sha256)
  const prompt_packs = each(PackKind.options, (kind) =>
    buildPromptPack(kind, dossiers[isPublic(kind) ? 'public' : 'private'], sha256),
  )
  return {
    capsule,
    token_estimate: tokenEstimateOf(capsule),
    persona_narrative: dossiers.private.narrative,
    explore_next: [...exploreNext(evidence)],
    voice_evidence_pack: sealed({ items: [...evidence] }, sha256),
    reflection_voice_dossier: dossiers,
    prompt_packs,
    sync_metadata: syncMetadataOf({ reflection_voice_dossier: dossiers, prompt_packs }),
  }
}

/** What the agent of each surface is to be made from, by the dossiers and packs that there are. */
export const syncMetadataOf = ({
  reflection_voice_dossier: dossiers,
  prompt_packs,
}: Pick<VoiceArtifacts, 'reflection_voice_dossier' | 'prompt_packs'>): Record<Surface, SyncMetadata> =>
  each(Surface.options, (surface) => {
    const audience = surface === 'public' ? 'public' : 'private'
    const packKind = getReflectionPromptPack(audience, surface, dossiers[audience].maturity)
    const { contentHash: packContentHash, dossierHash } = prompt_packs[packKind]
    return { packKind, packContentHash, dossierHash, publishedScopeHash: dossiers.public.scopeHash }
  })

function each<Name extends string, Value>(
  names: readonly Name[],
  build: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, build(name)])) as Record<Name, Value>
}
