import type { About } from '../ports/fact-extractor.ts'
import { entityKey } from './entity-key.ts'
import { isCreator } from './is-creator.ts'
import type { Speaker } from './speaker-of.ts'

/** Words of a source, and whose they are. */
export interface Quoted {
  readonly speaker: Speaker
  readonly quote: string
}

/**
 * Whether words count for a subject: of the person, and of what is theirs, only the person tells. What somebody told in a
 * conversation counts too, for it waits for approval, where it speaks of the person by name.
 */
export function mayTell({ speaker, quote }: Quoted, subject: string, about: About): boolean {
  if (speaker === (about.creatorName ?? about.displayName)) return true
  const [owner = ''] = subject.split(/['’]s\s/)
  if (!isCreator(owner, about)) return true
  return about.isTold === true && isNamed(quote, about) && !OF_ONESELF.test(quote)
}

const OF_ONESELF =
  /(?<![\p{L}\p{N}])(?:I|me|my|mine|myself|we|us|our|ours|ich|mich|mir|mein\p{L}*|wir|uns\p{L}*)(?![\p{L}\p{N}])/iu

function isNamed(quote: string, { displayName, creatorName = displayName }: About): boolean {
  const words = new Set(quote.split(/[^\p{L}\p{M}\p{N}]+/u).map(entityKey))
  return [displayName, creatorName].some((name) =>
    entityKey(name)
      .split(' ')
      .some((part) => words.has(part)),
  )
}
