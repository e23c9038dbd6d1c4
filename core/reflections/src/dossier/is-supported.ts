import type { Dossier, WrittenSentence } from '@parley/contracts'

/**
 * Whether a sentence says only what its lines say: their words, line after line, whole and in order. Only the name at the
 * beginning of a line may be left out, if no other person was mentioned just before.
 */
export function isSupported(
  { text, factIds }: WrittenSentence,
  { displayName, lines }: Pick<Dossier, 'displayName' | 'lines'>,
): boolean {
  const named = lines.filter((line) => line.factIds.some((factId) => factIds.includes(factId)))
  const known = new Set(named.flatMap((line) => line.factIds))
  const isPlain = [text, ...named.map((line) => line.text)].every((each) => PLAIN_LINE.test(each))
  if (named.length === 0 || !isPlain || !factIds.every((factId) => known.has(factId))) return false
  const name = new Set(splitWords(displayName))
  if (mayMeanAnother(text, name)) return false
  return canBeBuiltFrom(
    splitWords(text),
    named.map((line) => splitWords(line.text)),
    name,
  )
}

type Words = readonly string[]

/** Whether some order of the lines gives these words. `isOfAnother`: the previous line was about another person. */
function canBeBuiltFrom(
  said: Words,
  lines: readonly Words[],
  name: ReadonlySet<string>,
  isOfAnother = false,
): boolean {
  if (lines.length === 0) return said.length === 0
  return lines.some((line) => {
    const rest = removeName(line, name)
    const left = rest === line ? said : removeName(said, name)
    const isUnclear = rest !== line && left === said && isOfAnother
    const isNext = !isUnclear && rest.length > 0 && rest.every((word, index) => word === left[index])
    const others = lines.filter((other) => other !== line)
    return isNext && canBeBuiltFrom(left.slice(rest.length), others, name, !isAboutName(line, rest))
  })
}

function removeName(words: Words, name: ReadonlySet<string>): Words {
  const begins = words.findIndex((word) => !name.has(word.replace(/'s$/, '')))
  return begins === 0 ? words : words.slice(begins === -1 ? name.size : Math.min(begins, name.size))
}

/** A line about a person's sister is not about the person. */
const isAboutName = (line: Words, rest: Words): boolean =>
  rest !== line && !line[line.length - rest.length - 1]?.endsWith("'s")

/** A "who" after another name refers to that name. */
const mayMeanAnother = (text: string, name: ReadonlySet<string>): boolean =>
  [...text.matchAll(NAME_AND_WHO)].some(({ groups }) => !name.has(groups?.['last']?.toLowerCase() ?? ''))

const NAME_AND_WHO = /(?<last>\p{Lu}[\p{L}\p{M}\p{N}'’-]*)[,;]? (?:who|whose|which|that)\b/gu

/** One line of letters, numbers and punctuation, without characters that have a meaning in a prompt or a page. */
const PLAIN_LINE = /^[\p{L}\p{M}\p{N} .,;:'’"“”()&/–—-]+$/u

/** The meaningful words, in lower case. */
const splitWords = (text: string): Words =>
  (text.toLowerCase().replaceAll('’', "'").match(WORD) ?? []).filter((word) => !JOINING_WORDS.has(word))

const WORD = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu

/** Words that only join others. */
const JOINING_WORDS = new Set('a an the and who whose which that they their them also both'.split(' '))
