import type { FactId, SourceId, VoiceEvidence } from '@parley/contracts'

/** Facts of one namespace, each with its own quote. */
export const createEvidence = (
  namespace: string,
  count: number,
  mark = namespace,
): readonly VoiceEvidence[] =>
  Array.from({ length: count }, (_, index) => ({
    factId: `fct_${namespace}${index}` as FactId,
    namespace,
    subject: 'Ada Winter',
    isOfCreator: true,
    predicate: PREDICATES[index % PREDICATES.length] ?? 'is_a',
    object: `${mark} number ${index}`,
    isDated: false,
    statement: `Ada Winter is ${mark} number ${index}.`,
    sourceId: `src_${namespace}${index % 3}` as SourceId,
    quote: `I am ${mark} number ${index}, and I don't mind saying so!`,
  }))

const PREDICATES = ['is_a', 'lives_in', 'likes', 'works_as', 'friend_of', 'believes'] as const
