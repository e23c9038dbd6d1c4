import { asSentence } from './as-sentence.ts'
import type { Statement } from './statement.ts'
import { isOwner } from './text-blocks.ts'

/** Statements in plain sentences, each source named once, after what is from it. */
export function tellStatements(statements: readonly Statement[], owner?: string): string {
  const groups = Map.groupBy(statements, ({ title }) => title)
  return [...groups]
    .map(([title, of]) => {
      const told = joined(of.map((one) => sayStatement(one, owner))).join(' ')
      return title === undefined ? told : `${told} That is from ${withArticle(title)}.`
    })
    .join(' ')
}

/** A statement as it is said: as a quotation where another said it. */
export function sayStatement({ text, speaker }: Pick<Statement, 'text' | 'speaker'>, owner?: string): string {
  if (owner !== undefined && speaker !== undefined && !isOwner(speaker, owner))
    return `${speaker} said: “${text.replace(/[“”]/g, '"')}”`
  return asSentence(text)
}

/** "I speak Dutch. I speak English." is "I speak Dutch and English." */
function joined(sentences: readonly string[]): readonly string[] {
  const groups = Map.groupBy(
    sentences,
    (sentence) =>
      /^(?:I (?!am|was|have|had)\p{L}+(?: (?:at|as|in|to))?|My \p{L}+ (?:is|was)) /u.exec(sentence)?.[0] ??
      sentence,
  )
  return [...groups].map(([opening, of]) => {
    const [only = opening] = of
    const rests = of.map((sentence) => sentence.slice(opening.length, -1))
    const isJoinable =
      of.length > 1 &&
      rests.every((rest) => rest !== '' && rest.length <= LONGEST_JOINED && !rest.includes(','))
    if (!isJoinable) return of.length > 1 ? of.join(' ') : only
    return `${opening}${rests.slice(0, -1).join(', ')} and ${rests.at(-1)}.`
  })
}

const LONGEST_JOINED = 60

/** Titles that name what kind of thing they are. */
const KINDS_OF_SOURCE =
  /^(?:curriculum vitae|cv|diary|interview|letters?|open letter|talk|essay|article|speech|chat|whatsapp|telegram|minutes|working notes|report)\b/i

const withArticle = (title: string): string => (KINDS_OF_SOURCE.test(title) ? `the ${title}` : title)
