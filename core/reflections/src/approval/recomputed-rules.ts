import { Audience, PackKind } from '@parley/contracts'
import { buildCapsule, tokenEstimateOf } from '../artifacts/build-capsule.ts'
import { contentHashOf } from '../artifacts/content-hash.ts'
import { buildPrivateDossier, buildPublicDossier } from '../dossier/build-dossier.ts'
import { isBorneOut } from '../dossier/is-borne-out.ts'
import { exploreNext } from '../interview/explore-next.ts'
import { buildPromptPack, isPublic } from '../packs/build-prompt-pack.ts'
import { publishedOf, type Rule, unless } from './judged.ts'

/** What each dossier says is what its own evidence comes to, word for word. */
const dossierWords: Rule = (judged) => {
  const { artifacts, publishedNamespaces, sha256 } = judged
  const { voice_evidence_pack, reflection_voice_dossier: dossiers } = artifacts
  const { displayName, creatorName, formerNames } = dossiers.private
  const names = { displayName, creatorName, formerNames }
  const due = {
    private: buildPrivateDossier(
      // Of its namespaces the payload has the hash alone.
      {
        ...names,
        evidence: voice_evidence_pack.items,
        namespaces: [],
        written: dossiers.private.written,
      },
      sha256,
    ),
    public: buildPublicDossier(
      { ...names, evidence: publishedOf(judged), namespaces: publishedNamespaces },
      sha256,
    ),
  }
  return Audience.options.flatMap((audience) =>
    (['displayName', 'lines', 'narrative', 'speakingStyle', 'maturity'] as const).flatMap((part) =>
      unless(
        JSON.stringify(dossiers[audience][part]) === JSON.stringify(due[audience][part]),
        `${audience}: the ${part} of the ${audience} dossier cannot be worked out from its evidence`,
      ),
    ),
  )
}

/** What a model wrote says just what lines of its dossier say. */
const writtenWords: Rule = ({
  artifacts: {
    reflection_voice_dossier: { private: dossier },
  },
}) =>
  (dossier.written ?? []).flatMap((sentence) =>
    unless(
      isBorneOut(sentence, dossier),
      `private: a sentence of the narrative says otherwise than its facts (${sentence.factIds.join(', ')})`,
    ),
  )

/** What each pack says is what its dossier comes to. */
const packWords: Rule = ({ artifacts: { reflection_voice_dossier: dossiers, prompt_packs }, sha256 }) =>
  PackKind.options.flatMap((kind) => {
    const audience = isPublic(kind) ? 'public' : 'private'
    const { prompt, firstMessage } = buildPromptPack(kind, dossiers[audience], sha256)
    const pack = prompt_packs[kind]
    return unless(
      pack.prompt === prompt && pack.firstMessage === firstMessage,
      `${audience}: ${kind} says otherwise than its dossier`,
    )
  })

/** What a generic agent is told in place of a pack. */
const runtimeFields: Rule = ({ artifacts, sha256 }) => {
  const { capsule, voice_evidence_pack, reflection_voice_dossier: dossiers } = artifacts
  const evidence = voice_evidence_pack.items
  const due = buildCapsule(dossiers.private.displayName, evidence, sha256)
  return [
    ...unless(
      contentHashOf(capsule, sha256) === due.contentHash,
      'capsule: the capsule is not what the evidence comes to',
    ),
    ...unless(
      artifacts.token_estimate === tokenEstimateOf(capsule),
      'capsule: the token_estimate is not that of the capsule',
    ),
    ...unless(
      artifacts.persona_narrative === dossiers.private.narrative,
      'capsule: the persona_narrative is not that of the private dossier',
    ),
    ...unless(
      JSON.stringify(artifacts.explore_next) === JSON.stringify(exploreNext(evidence)),
      'capsule: explore_next is not what the evidence leaves open',
    ),
  ]
}

export const RECOMPUTED_RULES: readonly Rule[] = [dossierWords, writtenWords, packWords, runtimeFields]
