import { MAX_SOURCE_BYTES } from '@parley/contracts'
import { expect, test } from 'vitest'
import { sourceOfFile, whyNotSent } from './source-of-file.ts'

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
