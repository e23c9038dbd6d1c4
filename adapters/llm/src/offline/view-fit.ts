import type { Statement } from './statement.ts'

/** Who asks for a view is best answered by one that is held. */
export const viewFit = (text: string, question: string): number =>
  asksView(question) && VIEW.test(text) && !/^["“]/.test(text) ? 1.5 : 1

/** What is told of a view, with what takes it back: "I wrote against it in 2004. I no longer think so." */
export function withWithdrawal(
  told: readonly Statement[],
  statements: readonly Statement[],
  question: string,
): readonly Statement[] {
  const [first] = told
  if (!first || !asksView(question) || told.some(({ text }) => VIEW.test(text))) return told
  const withdrawal = statements.find(
    ({ text, title }) => title === first.title && text.length <= LONGEST && WITHDRAWS.test(text),
  )
  return withdrawal ? [first, withdrawal] : told
}

const LONGEST = 120

const asksView = (question: string): boolean => ASKS_VIEW.test(question)

const ASKS_VIEW =
  /\b(?:do|would) you (?:still )?(?:think|feel|say|believe|support|oppose|approve)\b|\byour (?:views?|opinion|thoughts|position)\b|\bare you (?:still )?(?:for|against|in favour)\b/i
const VIEW =
  /\bI (?:now |still |do not |don['’]t )*(?:think|believe|hold|recommend|support|oppose|approve|am (?:for|against))\b/i
const WITHDRAWS =
  /\bI (?:no longer (?:think|believe|hold)|take (?:it|that|this) back|was wrong about (?:it|that|this)|(?:have )?changed my mind)\b/i
