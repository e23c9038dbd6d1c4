import { askedTopic } from './asked-topic.ts'
import { withBirth } from './growing-up.ts'

/** What is looked up for a question: with the words that sources say of what it asks. */
export function inMoreWords(question: string): string {
  const more = askedTopic(question)?.topic.lookUp ?? ''
  return more === '' ? withBirth(question) : `${question} ${more}`
}
