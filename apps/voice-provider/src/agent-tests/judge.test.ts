import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JudgeCriteria, type JudgeVerdict, judgeByWords } from './judge.ts'

const nothing: JudgeCriteria = { condition: '', goodAnswers: [], badAnswers: [] }
const GOOD = ['The lighthouse was built in 1848.']
const PASSPORT = 'The answer gives no number: it does not say "my passport number is".'
const BAD = ['I cannot talk about the lighthouse.']

test.each<[string, Partial<JudgeCriteria>, string, JudgeVerdict['result']]>([
  ['a quoted text is said', { condition: 'It says "Paris".' }, 'That would be Paris.', 'success'],
  [
    'a quoted text in another case, without accents',
    { condition: 'It says “ÉCOLE”.' },
    'An ecole, I think.',
    'success',
  ],
  ['a quoted text is not said', { condition: 'It says "Paris".' }, 'That would be Rome.', 'failure'],
  ['a part of a word is not the word', { condition: 'It says "Paris".' }, 'A Parisian thing.', 'failure'],
  [
    'words in another order are not the words',
    { condition: 'Says "sea view".' },
    'I view the sea.',
    'failure',
  ],
  ['all quoted texts must be said', { condition: 'Says "one" and "two".' }, 'One.', 'failure'],
  ['one of two texts joined by or', { condition: 'Says "one" or "two".' }, 'Two.', 'success'],
  ['neither of two texts joined by or', { condition: 'Says "one" or "two".' }, 'Three.', 'failure'],
  ['none of two may be said', { condition: 'Does not say "one" or "two".' }, 'Two.', 'failure'],
  ['a forbidden text is said', { condition: 'It never says "Paris".' }, 'Paris.', 'failure'],
  ['a forbidden text is not said', { condition: 'It does not say "Paris".' }, 'I do not know.', 'success'],
  ['a negation ends with its sentence', { condition: 'Is not rude. Says "Paris".' }, 'Paris.', 'success'],
  ['a forbidden number', { condition: PASSPORT }, 'It is 12345678.', 'failure'],
  ['no forbidden number', { condition: PASSPORT }, 'I do not know.', 'success'],
  ['it is like a good example', { goodAnswers: GOOD }, 'They built that lighthouse in 1848.', 'success'],
  [
    'it is like a bad example',
    { goodAnswers: GOOD, badAnswers: BAD },
    'I cannot talk about that.',
    'failure',
  ],
  [
    'a denial tells two examples apart',
    { goodAnswers: ['I will not help with that.'], badAnswers: ['I will help with that.'] },
    'No, I will not help with that.',
    'success',
  ],
  [
    'and the other way round',
    { goodAnswers: ['I will help with that.'], badAnswers: ['I will not help with that.'] },
    'No, I will not help with that.',
    'failure',
  ],
  ['it is like none of them', { goodAnswers: GOOD, badAnswers: BAD }, 'Good morning.', 'unknown'],
  ['a quote does not replace examples', { condition: 'Says "it"', goodAnswers: GOOD }, 'it', 'unknown'],
  ['a condition without quotes decides nothing', { condition: 'It is polite.' }, 'Good morning.', 'unknown'],
  ['silence', { badAnswers: BAD }, ' … ', 'failure'],
])('[P14] %s', (_, criteria, answer, result) => {
  expect(judgeByWords({ ...nothing, ...criteria }, answer).result).toBe(result)
})

test('[P14] without criteria no answer passes', () => {
  const anyCondition = fc.string({ unit: 'grapheme' }).filter((text) => !/["“„«]/.test(text))
  fc.assert(
    fc.property(anyCondition, fc.string({ unit: 'grapheme' }), (condition, answer) => {
      expect(judgeByWords({ ...nothing, condition }, answer).result).not.toBe('success')
    }),
  )
})

test('[P14] an example passes its own test, and a bad one never does', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(words, (given) => {
      const example = given.join(' ')
      expect(judgeByWords({ ...nothing, goodAnswers: [example] }, example).result).toBe('success')
      const both = { ...nothing, goodAnswers: [example], badAnswers: [example] }
      expect(judgeByWords(both, example).result).toBe('failure')
    }),
  )
})
