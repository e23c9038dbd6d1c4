import {
  PackKind,
  Surface,
  type SyncMetadata,
  type VoiceArtifacts,
  type Capsule,
  type VoiceEvidence,
  type WrittenSentence,
} from '@parley/contracts'
import { buildPrivateDossier, buildPublicDossier } from '../dossier/build-dossier.ts'
import { exploreNext } from '../interview/explore-next.ts'
import { buildPromptPack, isPublicPack, getReflectionPromptPack } from '../packs/build-prompt-pack.ts'
import { addContentHash, type Sha256 } from './content-hash.ts'
import type { CreatorNames } from '../dossier/public-statement.ts'

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
  const prompt_packs = mapNames(PackKind.options, (kind) =>
    buildPromptPack(kind, dossiers[isPublicPack(kind) ? 'public' : 'private'], sha256),
  )
  return {
    capsule,
    token_estimate: estimateTokens(capsule),
    persona_narrative: dossiers.private.narrative,
    explore_next: [...exploreNext(evidence)],
    voice_evidence_pack: addContentHash({ items: [...evidence] }, sha256),
    reflection_voice_dossier: dossiers,
    prompt_packs,
    sync_metadata: buildSyncMetadata({ reflection_voice_dossier: dossiers, prompt_packs }),
  }
}

/** The inputs of each surface's agent. */
export const buildSyncMetadata = ({
  reflection_voice_dossier: dossiers,
  prompt_packs,
}: Pick<VoiceArtifacts, 'reflection_voice_dossier' | 'prompt_packs'>): Record<Surface, SyncMetadata> =>
  mapNames(Surface.options, (surface) => {
    const audience = surface === 'public' ? 'public' : 'private'
    const packKind = getReflectionPromptPack(audience, surface, dossiers[audience].maturity)
    const { contentHash: packContentHash, dossierHash } = prompt_packs[packKind]
    return { packKind, packContentHash, dossierHash, publishedScopeHash: dossiers.public.scopeHash }
  })

function mapNames<Name extends string, Value>(
  names: readonly Name[],
  build: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, build(name)])) as Record<Name, Value>
}

/** A compact summary of the evidence. */
export function buildCapsule(
  displayName: string,
  evidence: readonly VoiceEvidence[],
  sha256: Sha256,
): Capsule {
  const saying = (predicates: RegExp) =>
    [
      ...new Set(
        evidence.filter(({ predicate }) => predicates.test(predicate)).map(({ statement }) => statement),
      ),
    ].slice(0, MAX_OF_EACH)
  return addContentHash(
    {
      displayName,
      about: saying(/^(is_a|was_a|works|worked|lives|born|grew|studied|founded|wrote)/),
      tastes: saying(/^(likes|dislikes|prefers|has_favourite|plays|drinks)/),
      people: saying(/^(married_to|has_relative|friend_of)/),
      sources: new Set(evidence.map(({ sourceId }) => sourceId)).size,
      facts: new Set(evidence.map(({ factId }) => factId)).size,
    },
    sha256,
  )
}

const MAX_OF_EACH = 12

/** The parts of a capsule that an agent reads: all but its hash. */
export const removeCapsuleHash = ({
  displayName,
  about,
  tastes,
  people,
  sources,
  facts,
}: Capsule): Omit<Capsule, 'contentHash'> => ({ displayName, about, tastes, people, sources, facts })

export const estimateTokens = (capsule: Capsule): number =>
  Math.ceil(JSON.stringify(removeCapsuleHash(capsule)).length / CHARACTERS_PER_TOKEN)

const CHARACTERS_PER_TOKEN = 4

/** The input of a build: active facts with their evidence, and the published namespaces. */
export interface ArtifactInput extends CreatorNames {
  /** Oldest first. */
  readonly evidence: readonly VoiceEvidence[]
  readonly namespaces: readonly string[]
  readonly publishedNamespaces: readonly string[]
  /** A model's narrative of the private dossier, if a model was used. */
  readonly written?: readonly WrittenSentence[] | undefined
}
