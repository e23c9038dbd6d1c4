import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from './stdio-transport.ts'

test('[S12] lines do not depend on how their bytes are split', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '😀') }),
      fc.array(fc.nat(8)),
      (text, cuts) => {
        const lines: string[] = []
        const read = splitLines(1_000, (line) => lines.push(line))
        let bytes = Buffer.from(text)
        for (const cut of cuts) {
          read(bytes.subarray(0, cut))
          bytes = bytes.subarray(cut)
        }
        read(bytes)
        expect(lines).toEqual(text.split('\n').slice(0, -1))
      },
    ),
  )
})

test.each<[string, readonly string[], 'fits' | 'too long']>([
  ['a line as long as allowed', ['aaaa', '\n'], 'fits'],
  ['a longer line', ['aaaa', 'a\n'], 'too long'],
  ['a longer line without an end', ['aaaa', 'a'], 'too long'],
  ['many short lines', ['aaaa\naaaa\naaaa\n'], 'fits'],
])('[S13] %s', (_, chunks, expected) => {
  expect(reading(chunks, 4)).toBe(expected)
})

function reading(chunks: readonly string[], longest: number): 'fits' | 'too long' {
  const read = splitLines(longest, () => {})
  try {
    for (const chunk of chunks) read(Buffer.from(chunk))
    return 'fits'
  } catch {
    return 'too long'
  }
}
