import { createHash } from 'node:crypto'
import { fence } from '@parley/engine'
import { expect, test } from 'vitest'
import { foundTexts } from './material.ts'

const fenced = (text: string) =>
  fence(text, 'the sources', (given) => createHash('sha256').update(given).digest('hex'))

const plain = { evidence: [{ text: 'Ada lives in Oslo.', source: { title: 'Letters' } }] }
const eachFenced = {
  evidence: [{ text: fenced('Ada lives in Oslo.'), source: { title: fenced('Letters') } }],
}

test.each([
  ['as it is', JSON.stringify(plain)],
  ['fenced as a whole', fenced(JSON.stringify(plain))],
  ['with each text fenced by itself', JSON.stringify(eachFenced)],
])('[K6] an answer %s is quoted without its fence', (_, answer) => {
  expect(foundTexts(answer)).toEqual([{ text: 'Ada lives in Oslo.', title: 'Letters' }])
})
