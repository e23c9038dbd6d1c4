import type { Dossier, VoiceEvidence } from '@parley/contracts'

const FACTS_TO_GO_ON = 12
const SOURCES_TO_GO_ON = 2

/** A reflection is emerging until a dozen facts from two sources bear it out. */
export function maturityOf(evidence: readonly VoiceEvidence[]): Dossier['maturity'] {
  const facts = new Set(evidence.map(({ factId }) => factId)).size
  const sources = new Set(evidence.map(({ sourceId }) => sourceId)).size
  return facts >= FACTS_TO_GO_ON && sources >= SOURCES_TO_GO_ON ? 'established' : 'emerging'
}
