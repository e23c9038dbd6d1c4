const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences of a text; one that an abbreviation or an initial seems to end goes on. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = []
  for (const line of text.split('\n')) {
    let goesOn = false
    for (const { segment } of SENTENCES.segment(line)) {
      const last = sentences.at(-1)
      const part = segment.trim()
      if (part === '') continue
      if (
        last !== undefined &&
        (goesOn || (/^\p{Ll}/u.test(part) && sentences.length > 0 && goesOnFrom(last)))
      )
        sentences[sentences.length - 1] = `${last} ${part}`
      else sentences.push(part)
      goesOn = /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|No|P\.S|e\.g|i\.e|approx)\.$/u.test(part)
    }
  }
  return sentences
}

/** A quotation within a sentence ends like one. */
const goesOnFrom = (last: string): boolean => /["'”’)]$/.test(last)
