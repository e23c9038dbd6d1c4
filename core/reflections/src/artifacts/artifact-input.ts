import type { VoiceEvidence, WrittenSentence } from '@parley/contracts'
import type { Names } from '../dossier/public-statement.ts'

/** What a build starts from: active facts with their evidence, and what is published at this moment. */
export interface ArtifactInput extends Names {
  /** The oldest first. */
  readonly evidence: readonly VoiceEvidence[]
  readonly namespaces: readonly string[]
  readonly publishedNamespaces: readonly string[]
  /** What a model made of the lines of the private dossier, where one was asked. */
  readonly written?: readonly WrittenSentence[] | undefined
}
