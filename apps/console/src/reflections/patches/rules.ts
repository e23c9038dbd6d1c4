import type { Finding } from '@parley/contracts'

/** What a rule looks at. */
export const RULES: Record<Finding['rule'], string> = {
  schema: 'its form',
  evidence: 'its evidence',
  confidence: 'its confidence',
  contradiction: 'a contradiction',
  injection: 'words for a model',
  third_party: 'about somebody else',
  duplicate: 'said before',
  correction: 'a correction',
  extraction: 'how facts were found',
}
