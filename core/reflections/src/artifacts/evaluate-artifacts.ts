import {
  Audience,
  PackKind,
  Surface,
  VoiceArtifacts,
  type VoiceEvidence,
  formatIssue,
} from '@parley/contracts'
import { buildCapsule, estimateTokens, buildSyncMetadata } from './build-voice-artifacts.ts'
import { type Sha256, hashContent, hashNamespaces } from './content-hash.ts'
import { buildPrivateDossier, buildPublicDossier } from '../dossier/build-dossier.ts'
import { isSupported } from '../dossier/is-supported.ts'
import { toPublicStatement } from '../dossier/public-statement.ts'
import { exploreNext } from '../interview/explore-next.ts'
import {
  END_CALL_GUIDANCE,
  buildPromptPack,
  isPublicPack,
  findPlaceholders,
  listPackTools,
  hasPolicy,
} from '../packs/build-prompt-pack.ts'
import { EXTRA_VARIABLES, FIXED_VARIABLES, listExtras } from '../variables/variable-matrix.ts'

/** A valid payload, and the namespaces that were published at its build. */
interface EvaluatedPayload {
  readonly artifacts: VoiceArtifacts
  readonly publishedNamespaces: readonly string[]
  readonly sha256: Sha256
}

/** One kind of check; returns all its problems. */
type Rule = (payload: EvaluatedPayload) => readonly string[]

const listPublishedEvidence = ({
  artifacts,
  publishedNamespaces,
}: EvaluatedPayload): readonly VoiceEvidence[] =>
  artifacts.voice_evidence_pack.items.filter(({ namespace }) => publishedNamespaces.includes(namespace))

/** The reason, unless the condition holds. */
const reportUnless = (holds: boolean, reason: string): readonly string[] => (holds ? [] : [reason])

/** Each dossier must equal the one that its evidence produces. */
const checkDossiers: Rule = (payload) => {
  const { artifacts, publishedNamespaces, sha256 } = payload
  const { voice_evidence_pack, reflection_voice_dossier: dossiers } = artifacts
  const { displayName, creatorName, formerNames } = dossiers.private
  const names = { displayName, creatorName, formerNames }
  const expected = {
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
      { ...names, evidence: listPublishedEvidence(payload), namespaces: publishedNamespaces },
      sha256,
    ),
  }
  return Audience.options.flatMap((audience) =>
    (['displayName', 'lines', 'narrative', 'speakingStyle', 'maturity'] as const).flatMap((part) =>
      reportUnless(
        JSON.stringify(dossiers[audience][part]) === JSON.stringify(expected[audience][part]),
        `${audience}: the ${part} of the ${audience} dossier does not match its evidence`,
      ),
    ),
  )
}

/** A model's narrative must say only what the lines of its dossier say. */
const checkNarrative: Rule = ({
  artifacts: {
    reflection_voice_dossier: { private: dossier },
  },
}) =>
  (dossier.written ?? []).flatMap((sentence) =>
    reportUnless(
      isSupported(sentence, dossier),
      `private: a sentence of the narrative does not match its facts (${sentence.factIds.join(', ')})`,
    ),
  )

/** Each pack must equal the one that its dossier produces. */
const checkPackTexts: Rule = ({ artifacts: { reflection_voice_dossier: dossiers, prompt_packs }, sha256 }) =>
  PackKind.options.flatMap((kind) => {
    const audience = isPublicPack(kind) ? 'public' : 'private'
    const { prompt, firstMessage } = buildPromptPack(kind, dossiers[audience], sha256)
    const pack = prompt_packs[kind]
    return reportUnless(
      pack.prompt === prompt && pack.firstMessage === firstMessage,
      `${audience}: ${kind} does not match its dossier`,
    )
  })

/** The variables that replace a pack for a generic agent. */
const checkCapsule: Rule = ({ artifacts, sha256 }) => {
  const { capsule, voice_evidence_pack, reflection_voice_dossier: dossiers } = artifacts
  const evidence = voice_evidence_pack.items
  const expected = buildCapsule(dossiers.private.displayName, evidence, sha256)
  return [
    ...reportUnless(
      hashContent(capsule, sha256) === expected.contentHash,
      'capsule: the capsule does not match its evidence',
    ),
    ...reportUnless(
      artifacts.token_estimate === estimateTokens(capsule),
      'capsule: the token_estimate does not match the capsule',
    ),
    ...reportUnless(
      artifacts.persona_narrative === dossiers.private.narrative,
      'capsule: the persona_narrative does not match the private dossier',
    ),
    ...reportUnless(
      JSON.stringify(artifacts.explore_next) === JSON.stringify(exploreNext(evidence)),
      'capsule: explore_next does not match its evidence',
    ),
  ]
}

const RECOMPUTED_RULES: readonly Rule[] = [checkDossiers, checkNarrative, checkPackTexts, checkCapsule]

/** Each pack must be usable as a prompt. */
const checkPacks: Rule = ({ artifacts: { prompt_packs }, sha256 }) =>
  PackKind.options.flatMap((kind) => {
    const pack = prompt_packs[kind]
    const named = findPlaceholders(pack.prompt)
    const missing = FIXED_VARIABLES.filter((name) => !named.includes(name))
    const isEnding = pack.prompt.includes(END_CALL_GUIDANCE) && pack.prompt.includes('end_call')
    return [
      ...reportUnless(pack.kind === kind, `packs: ${kind} holds a pack of kind ${pack.kind}`),
      ...missing.map((name) => `placeholders: ${kind} does not name ${name}`),
      ...reportUnless(
        named.join() === pack.placeholders.join(),
        `placeholders: ${kind} does not list the variables of its prompt`,
      ),
      ...reportUnless(
        pack.tools.join() === listPackTools(kind).join(),
        `tools: ${kind} has ${pack.tools.join(', ') || 'none'}`,
      ),
      ...reportUnless(hasPolicy(pack.prompt, sha256), `policy: ${kind} does not open with the policy`),
      ...reportUnless(isEnding, `ending: ${kind} does not say how a call ends`),
      ...(isPublicPack(kind)
        ? named
            .filter((name) => FORBIDDEN_IN_PUBLIC.has(name))
            .map((name) => `audience: ${kind} names ${name}`)
        : []),
    ]
  })

/** A public pack contains its dossier, so even the public persona may not be one of its variables. */
const PUBLIC_EXTRAS = listExtras({ mode: 'share', audience: 'public', surface: 'public', agent: 'own' })
const FORBIDDEN_IN_PUBLIC: ReadonlySet<string> = new Set(
  EXTRA_VARIABLES.filter((name) => !PUBLIC_EXTRAS.includes(name)),
)

const checkDossierHashes: Rule = ({ artifacts: { reflection_voice_dossier: dossiers, prompt_packs } }) =>
  PackKind.options.flatMap((kind) =>
    reportUnless(
      prompt_packs[kind].dossierHash === dossiers[isPublicPack(kind) ? 'public' : 'private'].contentHash,
      `dossier: ${kind} was made from a dossier of another build`,
    ),
  )

const checkSyncMetadata: Rule = ({ artifacts }) => {
  const expected = buildSyncMetadata(artifacts)
  return Surface.options.flatMap((surface) => {
    const stored = artifacts.sync_metadata[surface]
    const names = ['packKind', 'packContentHash', 'dossierHash', 'publishedScopeHash'] as const
    return names
      .filter((name) => stored[name] !== expected[surface][name])
      .map((name) => `sync: the ${name} of the surface ${surface} does not match its pack`)
  })
}

const PACK_RULES: readonly Rule[] = [checkPacks, checkDossierHashes, checkSyncMetadata]

/** Everything public must trace to a fact in a namespace that was published at the build. */
function checkPublicProvenance(payload: EvaluatedPayload): readonly string[] {
  const { reflection_voice_dossier: dossiers } = payload.artifacts
  const published = listPublishedEvidence(payload)
  const toText = ({ statement }: VoiceEvidence) => toPublicStatement(statement, dossiers.private)
  return dossiers.public.lines.flatMap(({ text, factIds }) =>
    reportUnless(
      factIds.every((factId) => published.some((item) => item.factId === factId && toText(item) === text)),
      `provenance: a line of the public dossier has no published evidence (${factIds.join(', ')})`,
    ),
  )
}

const checkPrivateProvenance: Rule = ({
  artifacts: { reflection_voice_dossier: dossiers, voice_evidence_pack },
}) =>
  dossiers.private.lines.flatMap(({ text, factIds }) =>
    reportUnless(
      factIds.every((factId) =>
        voice_evidence_pack.items.some((item) => item.factId === factId && item.statement === text),
      ),
      `provenance: a line of the private dossier has no evidence (${factIds.join(', ')})`,
    ),
  )

const checkPublicScope: Rule = ({
  artifacts: { reflection_voice_dossier: dossiers },
  publishedNamespaces,
  sha256,
}) =>
  reportUnless(
    dossiers.public.scopeHash === hashNamespaces(publishedNamespaces, sha256),
    'scope: the public dossier was not built from the published namespaces',
  )

const PROVENANCE_RULES: readonly Rule[] = [checkPublicProvenance, checkPublicScope, checkPrivateProvenance]

export interface ArtifactsVerdict {
  readonly verdict: 'approved' | 'rejected'
  /** All problems, not only the first. */
  readonly reasons: readonly string[]
}

/**
 * Judges the stored payload by rules alone, so the same payload always gets the same verdict. Derived parts are computed
 * again from its evidence and compared; the rest is checked by its schema.
 */
export function evaluateArtifacts(
  payload: unknown,
  publishedNamespaces: readonly string[],
  sha256: Sha256,
): ArtifactsVerdict {
  const parsed = VoiceArtifacts.safeParse(payload)
  if (!parsed.success) return toVerdict(parsed.error.issues.map((issue) => `schema: ${formatIssue(issue)}`))
  const artifacts = parsed.data
  return toVerdict(RULES.flatMap((rule) => rule({ artifacts, publishedNamespaces, sha256 })))
}

const toVerdict = (reasons: readonly string[]): ArtifactsVerdict => ({
  verdict: reasons.length === 0 ? 'approved' : 'rejected',
  reasons,
})

function checkHashes({ artifacts, sha256 }: EvaluatedPayload): readonly string[] {
  const { capsule, voice_evidence_pack, reflection_voice_dossier: dossiers, prompt_packs } = artifacts
  const parts = {
    'the capsule': capsule,
    'the evidence pack': voice_evidence_pack,
    'the private dossier': dossiers.private,
    'the public dossier': dossiers.public,
    ...Object.fromEntries(PackKind.options.map((kind) => [`the pack ${kind}`, prompt_packs[kind]])),
  }
  return Object.entries(parts).flatMap(([name, part]) =>
    reportUnless(part.contentHash === hashContent(part, sha256), `hash: ${name} does not match its hash`),
  )
}

const RULES: readonly Rule[] = [checkHashes, ...PACK_RULES, ...PROVENANCE_RULES, ...RECOMPUTED_RULES]
