import { expect, test } from 'vitest'
import { type FactsShown, factsShown, wantedOf } from './facts-shown.ts'

test.each<[string, Record<string, unknown>, FactsShown]>([
  ['nothing', {}, {}],
  [
    'all of it',
    { state: 'superseded', order: 'time', namespace: 'letters', search: 'oslo' },
    { state: 'superseded', order: 'time', namespace: 'letters', search: 'oslo' },
  ],
  ['a number to look for', { search: 2004 }, { search: '2004' }],
  ['what is usual, which need not be said', { state: 'active', order: 'subject' }, {}],
  ['what is wrong', { state: 'lost', order: 7, namespace: 'No Such', search: {} }, {}],
])('an address says %s', (_, address, expected) => expect(factsShown(address)).toEqual(expected))

test.each<[string, FactsShown, object]>([
  ['what counts, by subject', {}, { state: 'active', order: 'subject' }],
  ['everything', { state: 'everything', order: 'time' }, { order: 'time' }],
  ['no blank words', { search: '  ' }, { state: 'active', order: 'subject' }],
])('the API is asked for %s', (_, shown, expected) => expect(wantedOf(shown)).toEqual(expected))
