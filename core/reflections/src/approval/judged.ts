import type { VoiceArtifacts, VoiceEvidence } from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'

/** A payload that is of its schema, and what was published when it was built. */
export interface Judged {
  readonly artifacts: VoiceArtifacts
  readonly publishedNamespaces: readonly string[]
  readonly sha256: Sha256
}

/** Everything that speaks against a payload, in one regard. */
export type Rule = (judged: Judged) => readonly string[]

export const publishedOf = ({ artifacts, publishedNamespaces }: Judged): readonly VoiceEvidence[] =>
  artifacts.voice_evidence_pack.items.filter(({ namespace }) => publishedNamespaces.includes(namespace))

/** The reason, where it is one. */
export const unless = (holds: boolean, reason: string): readonly string[] => (holds ? [] : [reason])
