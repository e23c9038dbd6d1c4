import type { Dossier, WrittenSentence } from '@parley/contracts'

/** Summarises the lines of a dossier in a few sentences. The caller checks them against the lines. */
export type Narrator = (
  of: Pick<Dossier, 'displayName' | 'lines'>,
  signal: AbortSignal,
) => Promise<readonly WrittenSentence[]>
