import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedOutput } from './bounded-output.ts'

test('of much output the beginning and the end are kept, and what is missing is counted', () => {
  const output = boundedOutput(4)
  for (const piece of ['ab', 'cdef', 'ghijklmn', 'op', 'qrst']) output.add(piece)
  expect(output.text()).toBe('abcd\n[12 characters of the output left out here]\nqrst')
})

test('beginning, missing and end make up the whole, in whatever pieces it came', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 })
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 30 }), (pieces, most) => {
      const output = boundedOutput(most)
      pieces.forEach((each) => output.add(each))
      const whole = pieces.join('')
      const left = whole.length - 2 * most
      const expected =
        left <= 0
          ? whole
          : `${whole.slice(0, most)}\n[${left} characters of the output left out here]\n${whole.slice(-most)}`
      expect(output.text()).toBe(expected)
    }),
  )
})

test.each([
  ['colours', '\u001B[31mred\u001B[0m', 'red'],
  ['a title', '\u001B]0;title\u0007text', 'text'],
  ['a link', '\u001B]8;;https://example.org\u0007text\u001B]8;;\u0007', 'text'],
  ['line ends of Windows', 'a\r\nb', 'a\nb'],
  ['a progress bar', '10%\r20%', '10%\n20%'],
  ['bells and backspaces', 'a\u0007b\bc', 'abc'],
  ['tabs stay', 'a\tb\n', 'a\tb\n'],
])('%s: plain text is left', (_, given, expected) => {
  const output = boundedOutput()
  output.add(given)
  expect(output.text()).toBe(expected)
})
