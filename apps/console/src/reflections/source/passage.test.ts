import { describe, expect, test } from 'vitest'
import { type Passage, passageIn, passageInAddress, passageOf } from './passage.ts'

const LONG = `${'It began with a boat. '.repeat(12)}And so it ended.`

describe('a passage', () => {
  test.each<[string, string, Passage]>([
    ['nothing is none', '  ', {}],
    ['a short one is told whole', ' I live in Oslo. ', { start: 'I live in Oslo.' }],
  ])('%s', (_, words, expected) => expect(passageOf(words)).toEqual(expected))

  test('a long one is told by its first and its last words, and found whole', () => {
    const passage = passageOf(LONG)
    expect(`${passage.start}${passage.end}`.length).toBeLessThan(170)
    expect(LONG.startsWith(passage.start ?? '-')).toBe(true)
    expect(passageIn(`Before. ${LONG} After.`, passage)).toEqual([8, 8 + LONG.length])
  })

  test.each<[string, Passage, readonly [number, number] | undefined]>([
    ['by its words', { start: 'lives' }, [4, 9]],
    ['to its end', { start: 'Ada', end: 'Oslo' }, [0, 17]],
    ['by its beginning, where the end is not there', { start: 'Ada', end: 'Bergen' }, [0, 3]],
    ['not where its words are not', { start: 'Bergen' }, undefined],
    ['not where nothing is said', {}, undefined],
  ])('is found %s', (_, passage, expected) =>
    expect(passageIn('Ada lives in Oslo.', passage)).toEqual(expected),
  )

  test.each<[string, Record<string, unknown>, Passage]>([
    ['takes words', { start: 'I', end: 'Oslo' }, { start: 'I', end: 'Oslo' }],
    ['takes a number for its digits', { start: 2019 }, { start: '2019' }],
    ['leaves out what is none', { start: '', end: { a: 1 } }, {}],
    ['bounds what is too long', { start: 'x'.repeat(900) }, { start: 'x'.repeat(300) }],
  ])('of an address %s', (_, given, expected) => expect(passageInAddress(given)).toEqual(expected))
})
