import { expect, test } from 'vitest'
import { type FactFilters, factsShown, toFactQuery } from './facts-shown.ts'

test.each<[string, Record<string, unknown>, FactFilters]>([
  ['no filters', {}, {}],
  [
    'every filter',
    { state: 'superseded', order: 'time', namespace: 'letters', search: 'oslo' },
    { state: 'superseded', order: 'time', namespace: 'letters', search: 'oslo' },
  ],
  ['a number to search for', { search: 2004 }, { search: '2004' }],
  ['the defaults, which are left out', { state: 'active', order: 'subject' }, {}],
  ['invalid values, which are ignored', { state: 'lost', order: 7, namespace: 'No Such', search: {} }, {}],
])('the URL holds %s', (_, address, expected) => expect(factsShown(address)).toEqual(expected))

test.each<[string, FactFilters, object]>([
  ['active facts by subject', {}, { state: 'active', order: 'subject' }],
  ['all facts', { state: 'everything', order: 'time' }, { order: 'time' }],
  ['no blank search', { search: '  ' }, { state: 'active', order: 'subject' }],
])('the query asks for %s', (_, shown, expected) => expect(toFactQuery(shown)).toEqual(expected))
