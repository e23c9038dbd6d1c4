import { expect, test } from 'vitest'
import { type Found, foundIn } from './found-in.ts'

const TEA = { text: 'Edda drinks tea.', title: 'Curriculum vitae' }

test.each<[string, unknown, readonly Found[] | undefined]>([
  ['as a model is told', { evidence: [{ text: TEA.text, source: TEA.title }] }, [TEA]],
  ['as an agent in a call is told', { evidence: [{ text: TEA.text, source: { title: TEA.title } }] }, [TEA]],
  ['nothing was found', { evidence: [] }, []],
  ['a source without a name', { evidence: [{ text: TEA.text }] }, [{ text: TEA.text, title: '' }]],
  ['what has no words', { evidence: [{ source: 'x' }, null] }, []],
  ['another tool', { files: [] }, undefined],
  ['no object', null, undefined],
])('%s', (_, told, expected) => {
  expect(foundIn(JSON.stringify(told))).toEqual(expected)
})

test('what is no JSON at all', () => {
  expect(foundIn('done.')).toBeUndefined()
})
