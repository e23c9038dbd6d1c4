import type { Statement } from './statement.ts'
import { isOwner } from './text-blocks.ts'

/** How well whom a statement is of fits whom a question is about: where "you" are asked, others are beside the point. */
export function subjectFit(
  { text, speaker }: Pick<Statement, 'text' | 'speaker'>,
  question: string,
  owner: string,
): number {
  const isOwn = speaker !== undefined && isOwner(speaker, owner)
  const asksYou = ASKS_YOU.test(question)
  if (speaker !== undefined && owner !== '' && !isOwn) return asksYou && FIRST_PERSON.test(text) ? 0.4 : 0.8
  const yours = /\byour (\p{L}+)/iu.exec(question)?.[1]
  if (yours !== undefined && new RegExp(String.raw`(?:\bmy|['’]s) ${yours}\b`, 'iu').test(text)) return 1.15
  if (!asksYou) return 1
  if (OTHERS.test(text)) return 0.35
  if (FIRST_PERSON.test(text) || (owner !== '' && text.startsWith(owner))) return 1.1
  return isOwn || owner === '' || !NAMED.test(text) ? 1 : 0.7
}

const ASKS_YOU =
  /\b(?:are|were|do|did|have|had|can|could|will|would|should) you\b|\byou (?:were|are|have|had)\b/i
const FIRST_PERSON = /\b(?:I|me|my|we|our|us|mine)\b|^(?:My|We|Our)\b/
const OTHERS =
  /^(?:He|She|They|His|Her|Their)\b|^\p{Lu}\p{L}+ (?:is|was|has|had|lives|works)\b(?!.*\b(?:I|me|my)\b)/u
/** Begins with somebody or something that does something. */
const NAMED =
  /^(?!(?:The|A|An|It|There|This|That|These|In|On|At|By|With|When|After|Before|For|From|No|Not|Next|All|One|Two)\b)\p{Lu}\p{L}+ \p{Ll}/u
