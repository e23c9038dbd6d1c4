import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCanary, findSightings } from './canary.ts'

const one = createCanary('the diary')
const { word } = one

test.each<[string, string]>([
  ['unchanged', `He wrote ${word}.`],
  ['in capitals', word.toUpperCase()],
  ['in small letters', word.toLowerCase()],
  ['without its first syllables', word.slice('Canary'.length)],
  ['split', word.split('').join(' ')],
  ['in kebab case', word.split('').join('-')],
  [
    'escaped in JSON',
    word
      .split('')
      .map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
      .join(''),
  ],
  [
    'escaped in a URL',
    word
      .split('')
      .map((letter) => `%${letter.charCodeAt(0).toString(16)}`)
      .join(''),
  ],
  ['in hex', Buffer.from(word).toString('hex')],
])('a canary is found %s', (_, text) => {
  expect(findSightings([{ where: 'a page', text }], [one])).toEqual(['the diary shows in a page'])
})

test('a canary is found in base64, with any text around it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const bytes = Buffer.from(`${before}${word}${after}`)
      for (const encoding of ['base64', 'base64url'] as const) {
        expect(findSightings([{ where: 'a page', text: bytes.toString(encoding) }], [one])).toHaveLength(1)
      }
    }),
  )
})

test('another canary is not found', () => {
  const other = createCanary('elsewhere')
  expect(findSightings([{ where: 'a page', text: `Canary ${other.word}` }], [one])).toEqual([])
})
