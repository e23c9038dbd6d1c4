import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLine } from './json-line.ts'

test('a line of JSON holds the value and nothing that acts on a terminal', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\x1b', '\x9b', '\n', '\u202e', '\u2028'), fc.string()),
  })
  fc.assert(
    fc.property(text, (said) => {
      const line = jsonLine({ said })
      expect(JSON.parse(line)).toEqual({ said })
      // oxlint-disable-next-line no-control-regex -- what must never come through
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      expect(line.endsWith('\n')).toBe(true)
    }),
  )
})
