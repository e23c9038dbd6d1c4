import { hash } from 'node:crypto'
import { fence } from '@parley/contracts'
import { expect, test } from 'vitest'
import { readToolResult } from './answer-material.ts'

const fenced = (text: string) => fence(text, 'the sources', (given) => hash('sha256', given))

const plain = { evidence: [{ text: 'Ada lives in Oslo.', source: { title: 'Letters' } }] }
const eachFenced = {
  evidence: [{ text: fenced('Ada lives in Oslo.'), source: { title: fenced('Letters') } }],
}

test.each([
  ['without a fence', JSON.stringify(plain)],
  ['fenced as a whole', fenced(JSON.stringify(plain))],
  ['with each text fenced by itself', JSON.stringify(eachFenced)],
])('[K6] quotes a result without its fence: %s', (_, answer) => {
  expect(readToolResult(answer)).toEqual([{ text: 'Ada lives in Oslo.', title: 'Letters' }])
})
