import { describe, expect, test } from 'vitest'
import {
  type FactFilters,
  type Passage,
  type SessionFilters,
  parseComparedVersion,
  parseFactFilters,
  parsePassage,
  parsePreviewSession,
  parseSessionFilters,
} from './search-params.ts'

describe('the address of the sessions page', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['nothing', {}, {}],
    ['words', { search: '  Kyōto ' }, { search: 'Kyōto' }],
    ['a number, which the router parses as one', { search: 2026 }, { search: '2026' }],
    ['no words', { search: '  ' }, {}],
    [
      'everything',
      { channel: 'voice', status: 'ended', turn: 'waiting', whose: 'all' },
      { channel: 'voice', status: 'ended', turn: 'waiting', whose: 'all' },
    ],
    ['a reflection', { reflectionId: 'rfl_ada1' }, { reflectionId: 'rfl_ada1' }],
    [
      'unknown values',
      { channel: 'smoke', status: 1, turn: 'running', whose: 'own', reflectionId: 'ada', other: 'x' },
      {},
    ],
  ])('names %s', (_, params, expected) => {
    const filters: SessionFilters = parseSessionFilters(params)
    expect(filters).toEqual(expected)
  })
})

describe('the address of the facts page', () => {
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
  ])('holds %s', (_, params, expected) => expect(parseFactFilters(params)).toEqual(expected))
})

describe('a passage in the address', () => {
  test.each<[string, Record<string, unknown>, Passage]>([
    ['keeps words', { start: 'I', end: 'Oslo' }, { start: 'I', end: 'Oslo' }],
    ['reads a number as its digits', { start: 2019 }, { start: '2019' }],
    ['ignores invalid values', { start: '', end: { a: 1 } }, {}],
    ['cuts long values', { start: 'x'.repeat(900) }, { start: 'x'.repeat(300) }],
  ])('%s', (_, params, expected) => expect(parsePassage(params)).toEqual(expected))
})

test.each<[unknown, object]>([
  [3, { beside: 3 }],
  [undefined, {}],
  [0, {}],
  [1.5, {}],
  ['x', {}],
])('the version to compare with, read from %j', (beside, expected) => {
  expect(parseComparedVersion({ beside })).toEqual(expected)
})

describe('the address of the variables page', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['an empty address means the defaults', {}, {}],
    [
      'valid values are kept',
      { mode: 'share', role: 'guest', budget: 500 },
      { mode: 'share', role: 'guest', budget: 500 },
    ],
    ['invalid values are ignored', { mode: 'x', role: 7, surface: 'public', link: 'x', budget: -1 }, {}],
    ['the full budget is the default', { budget: 10_000 }, {}],
    ['a switch is kept only if on', { offRecord: true, agent: 'own' }, { offRecord: true, agent: 'own' }],
  ])('%s', (_, params, expected) => {
    expect(parsePreviewSession(params)).toEqual(expected)
  })
})
