import type { LlmMessage } from '@parley/engine'
import { expect, test } from 'vitest'
import { askedOfYou } from './resolve-question.ts'

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const asked = (...said: readonly string[]) =>
  askedOfYou(said.map(user), 'Ada Winter').flatMap(({ content }) =>
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
])('[X2] "%s" is asked of whom the reflection speaks for', (said, expected) => {
  expect(asked(said)).toEqual([expected])
})

test.each([
  ['what is told', ['She was born in Kent.']],
  ['what names another', ['Where did Signe study, and when did she come back?']],
  ['what speaks of another', ['What does your sister do, and where does she live?']],
  ['what is asked once another was named', ['Who is Signe?', 'Where does she live?']],
  ['things', ['How tall are the meadows when they flower?']],
])('[X2] %s stays as it was said', (_, said) => {
  expect(asked(...said)).toEqual(said)
})

test('[X2] a question that goes on from one about them is about them, too', () => {
  expect(asked('Where did she grow up?', 'And where does she live?')).toEqual([
    'Where did you grow up?',
    'And where do you live?',
  ])
})
