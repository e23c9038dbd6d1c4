import type { Dossier, WrittenSentence } from '@parley/contracts'

/** Tells in a few sentences what the lines of a dossier say. Whoever asks holds it against them. */
export type Narrator = (
  of: Pick<Dossier, 'displayName' | 'lines'>,
  signal: AbortSignal,
) => Promise<readonly WrittenSentence[]>
