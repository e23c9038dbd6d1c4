// Nobody says the same words so often; a model that lost the thread does.
const TIMES = 4
const LONGEST_PHRASE = 12

/** The text up to the second time that its end says the same words over and over. */
export function withoutRepeats(text: string): string {
  const words = text.split(/\s+/u)
  for (let start = 0; start < words.length; start++)
    for (let length = 1; length <= LONGEST_PHRASE; length++)
      if (isRepeated(words, start, length)) return words.slice(0, start + length).join(' ')
  return text
}

function isRepeated(words: readonly string[], start: number, length: number): boolean {
  const end = start + length * TIMES
  if (end > words.length) return false
  for (let at = start + length; at < end; at++) if (bare(words[at]) !== bare(words[at - length])) return false
  return true
}

const bare = (word = '') => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
