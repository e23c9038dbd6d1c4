import type { VoiceEvidence, WrittenSentence } from '@parley/contracts'
import type { Names } from '../dossier/public-statement.ts'

/** The input of a build: active facts with their evidence, and the published namespaces. */
export interface ArtifactInput extends Names {
  /** The oldest first. */
  readonly evidence: readonly VoiceEvidence[]
  readonly namespaces: readonly string[]
  readonly publishedNamespaces: readonly string[]
  /** What a model made of the lines of the private dossier, where one was asked. */
  readonly written?: readonly WrittenSentence[] | undefined
}
