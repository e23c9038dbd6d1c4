import type { LlmMessage } from '@parley/engine'
import { expect, test } from 'vitest'
import { replaceCreatorPronouns, resolveQuestion } from './resolve-question.ts'

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const resolve = (...said: readonly string[]) => resolveQuestion(said.map(user))

test.each<[readonly string[], string, string]>([
  [['Where were you born?', 'And when?'], 'Where were you born? And when?', 'follow-up'],
  [['Where were you born?', 'And when?', 'Why?'], 'Where were you born? Why?', 'follow-up'],
  [['Who is Liv?', 'Tell me more.'], 'Who is Liv?', 'more'],
  [['Who is Liv?', 'What else?'], 'Who is Liv?', 'more'],
  [['Who is Liv?', 'When did she move to Kent?'], 'When did she move to Kent?', 'question'],
  [['When?'], 'When?', 'question'],
])('[X2] resolves %j', (said, text, kind) => {
  expect(resolve(...said)).toEqual({ text, kind, last: said.at(-1) })
})

const address = (...said: readonly string[]) =>
  replaceCreatorPronouns(said.map(user), 'Ada Winter').flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  )

test.each([
  ['Where did she grow up?', 'Where did you grow up?'],
  ['Where was he born?', 'Where were you born?'],
  ['Is she married?', 'are you married?'],
  ['Tell me about her childhood.', 'Tell me about your childhood.'],
  ['What do you know about her?', 'What do you know about you?'],
  ['When did they come back?', 'When did you come back?'],
  [
    'When was Ada Winter born, and where did she study?',
    'When was Ada Winter born, and where did you study?',
  ],
])('[X2] "%s" means the person of the reflection', (said, expected) => {
  expect(address(said)).toEqual([expected])
})

test.each([
  ['a statement', ['She was born in Kent.']],
  ['a question with another name', ['Where did Signe study, and when did she come back?']],
  ['a question about a relative', ['What does your sister do, and where does she live?']],
  ['a question after another name', ['Who is Signe?', 'Where does she live?']],
  ['a question about things', ['How tall are the meadows when they flower?']],
])('[X2] %s is unchanged', (_, said) => {
  expect(address(...said)).toEqual(said)
})

test('[X2] a follow-up means the person of the reflection too', () => {
  expect(address('Where did she grow up?', 'And where does she live?')).toEqual([
    'Where did you grow up?',
    'And where do you live?',
  ])
})
