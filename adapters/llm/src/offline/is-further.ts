import type { WholeQuestion } from './follow-up.ts'
import { holds, questionKind } from './question-kind.ts'
import { stemsOf } from './stems-of.ts'

/** Whether a sentence says something to a question that goes on from another: what was told already does not, unless it is asked for. */
export function isFurther(sentence: string, question: WholeQuestion, told: readonly string[]): boolean {
  if (question.kind === 'question') return true
  const kind = question.kind === 'more' ? 'any' : questionKind(question.last)
  if (kind !== 'any' && !holds(kind, sentence, question.last)) return false
  return (kind !== 'any' && kind !== 'reason') || !isTold(sentence, told)
}

function isTold(sentence: string, told: readonly string[]): boolean {
  const words = stemsOf(sentence)
  return told.some((answer) => {
    const said = new Set(stemsOf(answer))
    return words.every((word) => said.has(word))
  })
}
