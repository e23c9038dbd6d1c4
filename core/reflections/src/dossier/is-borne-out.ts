import type { Dossier, WrittenSentence } from '@parley/contracts'

/**
 * Whether a sentence says just what the lines it names say: the words of one line after those of another, whole and in
 * their order, and none besides; only the name that a line begins with may be left out, where nobody else was spoken of
 * just before. So it chooses, orders and joins lines, and there is nothing else that it could say.
 */
export function isBorneOut(
  { text, factIds }: WrittenSentence,
  { displayName, lines }: Pick<Dossier, 'displayName' | 'lines'>,
): boolean {
  const named = lines.filter((line) => line.factIds.some((factId) => factIds.includes(factId)))
  const known = new Set(named.flatMap((line) => line.factIds))
  const isPlain = [text, ...named.map((line) => line.text)].every((each) => PLAIN.test(each))
  if (named.length === 0 || !isPlain || !factIds.every((factId) => known.has(factId))) return false
  const name = new Set(wordsOf(displayName))
  if (mayTellOfAnother(text, name)) return false
  return isSaidOf(
    wordsOf(text),
    named.map((line) => wordsOf(line.text)),
    name,
  )
}

type Words = readonly string[]

/** Whether some order of the lines is what is said; `isOfAnother` is of the line that was said before them. */
function isSaidOf(
  said: Words,
  lines: readonly Words[],
  name: ReadonlySet<string>,
  isOfAnother = false,
): boolean {
  if (lines.length === 0) return said.length === 0
  return lines.some((line) => {
    const rest = withoutName(line, name)
    const left = rest === line ? said : withoutName(said, name)
    const isUnclear = rest !== line && left === said && isOfAnother
    const isNext = !isUnclear && rest.length > 0 && rest.every((word, index) => word === left[index])
    const others = lines.filter((other) => other !== line)
    return isNext && isSaidOf(left.slice(rest.length), others, name, !isOfName(line, rest))
  })
}

function withoutName(words: Words, name: ReadonlySet<string>): Words {
  const begins = words.findIndex((word) => !name.has(word.replace(/'s$/, '')))
  return begins === 0 ? words : words.slice(begins === -1 ? name.size : Math.min(begins, name.size))
}

/** A line about somebody's sister is not about them. */
const isOfName = (line: Words, rest: Words): boolean =>
  rest !== line && !line[line.length - rest.length - 1]?.endsWith("'s")

/** A "who" after another name is taken for theirs. */
const mayTellOfAnother = (text: string, name: ReadonlySet<string>): boolean =>
  [...text.matchAll(NAME_AND_WHO)].some(({ groups }) => !name.has(groups?.['last']?.toLowerCase() ?? ''))

const NAME_AND_WHO = /(?<last>\p{Lu}[\p{L}\p{M}\p{N}'’-]*)[,;]? (?:who|whose|which|that)\b/gu

/** One line of letters, numbers and the marks of a sentence: nothing that a prompt or a page could take for its own. */
const PLAIN = /^[\p{L}\p{M}\p{N} .,;:'’"“”()&/–—-]+$/u

/** The words that say something, in small letters. */
const wordsOf = (text: string): Words =>
  (text.toLowerCase().replaceAll('’', "'").match(WORD) ?? []).filter((word) => !JOINING.has(word))

const WORD = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu

/** What joins others and adds nothing to what they say. */
const JOINING = new Set('a an the and who whose which that they their them also both'.split(' '))
