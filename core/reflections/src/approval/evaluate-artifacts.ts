import { issueInWords, PackKind, VoiceArtifacts } from '@parley/contracts'
import { contentHashOf, type Sha256 } from '../artifacts/content-hash.ts'
import { type Judged, type Rule, unless } from './judged.ts'
import { PACK_RULES } from './pack-rules.ts'
import { PROVENANCE_RULES } from './provenance-rules.ts'
import { RECOMPUTED_RULES } from './recomputed-rules.ts'

export interface Verdict {
  readonly verdict: 'approved' | 'rejected'
  /** Everything that speaks against it, not only the first thing. */
  readonly reasons: readonly string[]
}

/**
 * Judges the exact payload that is stored, by rules alone: the same payload always has the same verdict. What follows
 * from its own evidence is worked out anew and compared; the rest is of its schema.
 */
export function evaluateArtifacts(
  payload: unknown,
  publishedNamespaces: readonly string[],
  sha256: Sha256,
): Verdict {
  const parsed = VoiceArtifacts.safeParse(payload)
  if (!parsed.success) return verdictOf(parsed.error.issues.map((issue) => `schema: ${issueInWords(issue)}`))
  const artifacts = parsed.data
  return verdictOf(RULES.flatMap((rule) => rule({ artifacts, publishedNamespaces, sha256 })))
}

const verdictOf = (reasons: readonly string[]): Verdict => ({
  verdict: reasons.length === 0 ? 'approved' : 'rejected',
  reasons,
})

function hashes({ artifacts, sha256 }: Judged): readonly string[] {
  const { capsule, voice_evidence_pack, reflection_voice_dossier: dossiers, prompt_packs } = artifacts
  const parts = {
    'the capsule': capsule,
    'the evidence pack': voice_evidence_pack,
    'the private dossier': dossiers.private,
    'the public dossier': dossiers.public,
    ...Object.fromEntries(PackKind.options.map((kind) => [`the pack ${kind}`, prompt_packs[kind]])),
  }
  return Object.entries(parts).flatMap(([name, part]) =>
    unless(part.contentHash === contentHashOf(part, sha256), `hash: ${name} is not what its hash says`),
  )
}

const RULES: readonly Rule[] = [hashes, ...PACK_RULES, ...PROVENANCE_RULES, ...RECOMPUTED_RULES]
