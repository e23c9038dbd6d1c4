import { endOfSentence } from './end-of-sentence.ts'
import { speakable } from './speakable.ts'

export interface Sentence {
  /** As it stands in the text; all of them together are the text. */
  readonly written: string
  /** What is said of it: empty where there is nothing to say, as of program code. */
  readonly spoken: string
}

/** Splits text that comes in pieces, and gives out a sentence as soon as it is complete. */
export interface SentenceSplitter {
  add(text: string): readonly Sentence[]
  /** No more text comes, for now: what is left is a sentence. */
  end(): readonly Sentence[]
}

export function createSentenceSplitter(): SentenceSplitter {
  let pending = ''

  const take = (isEnd: boolean): readonly Sentence[] => {
    const sentences: Sentence[] = []
    for (;;) {
      const end = endOfSentence(pending, isEnd)
      if (end === undefined) return sentences
      const written = pending.slice(0, end)
      pending = pending.slice(end)
      sentences.push({ written, spoken: speakable(written) })
    }
  }

  return {
    add(text) {
      pending += text
      return take(false)
    },
    end: () => take(true),
  }
}
