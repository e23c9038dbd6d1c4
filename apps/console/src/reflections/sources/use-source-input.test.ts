import { expect, test } from 'vitest'
import { MAX_SOURCE_BYTES } from '@parley/contracts'
import { firstNamespace, sourceOfFile, whyNotSent } from './use-source-input.ts'

const named = (...names: readonly string[]) =>
  names.map((name) => ({ name: name.replace('!', ''), isPublished: name.endsWith('!') }))

test.each<[string[], string, 'all' | string[]]>([
  [['conversations', 'family', 'general', 'work!'], 'general', 'all'],
  [['conversations', 'family', 'general!'], 'family', 'all'],
  [['conversations', 'general!'], 'general', 'all'],
  [['conversations'], '', 'all'],
  [['family', 'talks!'], 'family', ['family']],
  [['conversations', 'talks!'], '', ['conversations']],
])('of %j, where ! is public, a source goes to %s at first, by who works in %j', (names, first, reads) => {
  expect(firstNamespace({ namespaces: named(...names), reads })).toBe(first)
})

test('[K4] a file is titled by its name, within what a title may be', () => {
  const file = new File(['abc'], `${'a'.repeat(400)}.md`)
  const source = sourceOfFile(file, 'work')
  expect(source).toMatchObject({ namespace: 'work', fileName: file.name })
  expect(source.title).toHaveLength(300)
})

test.each<[number, unknown]>([
  [0, expect.stringContaining('empty')],
  [1, undefined],
  [MAX_SOURCE_BYTES, undefined],
  [MAX_SOURCE_BYTES + 1, expect.stringContaining('51 MB; a source has at most 50 MB')],
])('[K4] a file of %i bytes is sent, or it is said why not', (size, why) => {
  expect(whyNotSent({ size })).toEqual(why)
})
