import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inFirstPerson } from './first-person.ts'

test.each([
  ['Ada Winter was born in Kent on 1968-03-14.', 'I was born in Kent on 14 March 1968.'],
  ['Ada Winter is divorced.', 'I am divorced.'],
  ['Ada Winter has a house.', 'I have a house.'],
  ['Ada Winter teaches sums.', 'I teach sums.'],
  ['Ada Winter studies maps.', 'I study maps.'],
  ['Ada Winter planted the pear tree in 1998.', 'I planted the pear tree in 1998.'],
  ['Ada Winter passed their licence in 2023-05.', 'I passed my licence in May 2023.'],
  ["Ada Winter's sister is Liv.", 'My sister is Liv.'],
  ['Ada Winter ambles.', 'Ada Winter ambles.'],
  ['Ada Winterbourne lives in Kent.', 'Ada Winterbourne lives in Kent.'],
  ['Liv has two boys.', 'Liv has two boys.'],
  ['The mark is 2023-13.', 'The mark is 2023-13.'],
])('[X2] %s', (fact, expected) => {
  expect(inFirstPerson(fact, 'Ada Winter')).toBe(expected)
})

test('[X2] what is of nobody in particular stays as it is', () => {
  expect(inFirstPerson('Ada Winter lives in Kent.', undefined)).toBe('Ada Winter lives in Kent.')
})

test('[X2] what is said of another stays as it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[B-Z][a-z]{1,8} [a-z ]{1,30}\.$/), (fact) => {
      expect(inFirstPerson(fact, 'Ada Winter')).toBe(fact)
    }),
  )
})
