import { expect, test } from 'vitest'
import { MAX_SOURCE_BYTES } from '@parley/contracts'
import { chooseDefaultNamespace, fileToSource, findFileProblem } from './use-source-input.ts'

const createNamespaces = (...names: readonly string[]) =>
  names.map((name) => ({ name: name.replace('!', ''), isPublished: name.endsWith('!') }))

test.each<[string[], string, 'all' | string[]]>([
  [['conversations', 'family', 'general', 'work!'], 'general', 'all'],
  [['conversations', 'family', 'general!'], 'family', 'all'],
  [['conversations', 'general!'], 'general', 'all'],
  [['conversations'], '', 'all'],
  [['family', 'talks!'], 'family', ['family']],
  [['conversations', 'talks!'], '', ['conversations']],
])('of %j, where ! is public, %s is the default folder for a person who reads %j', (names, first, reads) => {
  expect(chooseDefaultNamespace({ namespaces: createNamespaces(...names), reads })).toBe(first)
})

test('[K4] a source from a file has the file name as its title, cut to the limit', () => {
  const file = new File(['abc'], `${'a'.repeat(400)}.md`)
  const source = fileToSource(file, 'work')
  expect(source).toMatchObject({ namespace: 'work', fileName: file.name })
  expect(source.title).toHaveLength(300)
})

test.each<[number, unknown]>([
  [0, expect.stringContaining('empty')],
  [1, undefined],
  [MAX_SOURCE_BYTES, undefined],
  [MAX_SOURCE_BYTES + 1, expect.stringContaining('51 MB; the limit is 50 MB')],
])('[K4] a file of %i bytes is uploaded, or refused with a reason', (size, why) => {
  expect(findFileProblem({ size })).toEqual(why)
})
