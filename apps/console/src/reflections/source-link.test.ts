import { describe, expect, test } from 'vitest'
import type { Passage } from '../app/search-params.ts'
import { findPassage, toPassage } from './source-link.tsx'

const LONG = `${'It began with a boat. '.repeat(12)}And so it ended.`

describe('a passage', () => {
  test.each<[string, string, Passage]>([
    ['a blank text gives none', '  ', {}],
    ['a short text is kept whole', ' I live in Oslo. ', { start: 'I live in Oslo.' }],
  ])('%s', (_, words, expected) => expect(toPassage(words)).toEqual(expected))

  test('a long text is kept by its first and last words, and found whole', () => {
    const passage = toPassage(LONG)
    expect(`${passage.start}${passage.end}`.length).toBeLessThan(170)
    expect(LONG.startsWith(passage.start ?? '-')).toBe(true)
    expect(findPassage(`Before. ${LONG} After.`, passage)).toEqual([8, 8 + LONG.length])
  })

  test.each<[string, Passage, readonly [number, number] | undefined]>([
    ['by its start', { start: 'lives' }, [4, 9]],
    ['up to its end', { start: 'Ada', end: 'Oslo' }, [0, 17]],
    ['by its start if the end is missing', { start: 'Ada', end: 'Bergen' }, [0, 3]],
    ['not in a text without it', { start: 'Bergen' }, undefined],
    ['not if it is empty', {}, undefined],
  ])('is found %s', (_, passage, expected) =>
    expect(findPassage('Ada lives in Oslo.', passage)).toEqual(expected),
  )
})
