import type { Json } from '@parley/contracts'
import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseStrictYaml } from './parse-strict-yaml.ts'
import { writeYaml } from './write-yaml.ts'

const anything = { safeParse: (data: unknown) => ({ success: true as const, data }) }
const read = (text: string) =>
  parseStrictYaml(text, { file: 'any.yaml', schema: anything, longest: 10_000_000 })

/** Through bytes, as a file does it. */
const encodeAndDecode = (text: string) => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text))

const HARD = [
  'null',
  'yes',
  'No',
  'ON',
  '~',
  'true',
  '0x1',
  '1e3',
  '.inf',
  '1_000',
  '12:30',
  '2026-01-01',
  '<<',
  '=',
  '-',
  '?',
  ':',
  '#',
  'a: b',
  'a #b',
  '- a',
  '? a',
  '| a',
  '> a',
  '& a',
  '* a',
  '! a',
  '% a',
  '@a',
  '`a',
  '"a',
  "'a",
  '[a',
  '{a',
  '',
  ' ',
  ' a',
  'a ',
  'a  b',
  '\t',
  'a\t',
  '\n',
  '\n\n',
  'a\n',
  'a\n\n',
  'a\n\n\nb\n',
  '\na',
  ' a\nb',
  'a\n b',
  'a\n\tb',
  'a\n  ',
  'a\n  \nb',
  'a \nb',
  'a\n---\nb',
  '---\na',
  '...\na',
  'a\n# b',
  'a\r\nb',
  'a\rb',
  '\0',
  '\x1b[1m',
  '\x7f',
  '\x85',
  'a\u2028b\nc',
  'a\u2029b',
  '\ufeffa',
  'a\ufeff\nb',
  '\ufffe',
  '\uffff',
  '\ud800',
  'a\udc00\nb',
  '\ud83d\ude00',
  '👩‍🚀\n',
  '日本語',
  'Zoë',
  'e\u0301',
  '\u202eabc',
  '\\n',
  '\\',
  '"',
  'a\\\nb',
  `${'long '.repeat(50_000)}end`,
  'x'.repeat(2_000),
  '{{ctx.a}}',
  '__proto__',
  'constructor',
]

test.each(HARD.map((text) => [text.slice(0, 40), text]))(
  '[S14] the text %j is read back unchanged',
  async (_, text) => {
    const value: Json = { text, list: [text, [text]], [text]: 1, in: { [text]: text } }
    const written = writeYaml(value)
    expect(await read(encodeAndDecode(written))).toEqual(value)
  },
)

const anyOddText = fc
  .array(
    fc.oneof(fc.constantFrom(...HARD.filter(({ length }) => length < 100)), fc.string({ unit: anyLetter })),
    { maxLength: 5 },
  )
  .map((pieces) => pieces.join(''))
const anyLoneSurrogates = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units))
const anyText = fc.oneof(anyOddText, anyLoneSurrogates, fc.string())

const anyJson = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(anyText, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

test('[S14] any value is read back unchanged, and is written as the same bytes again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(anyText, anyJson, { noNullPrototype: true }), async (value) => {
      const written = writeYaml(value)
      const back = await read(encodeAndDecode(written))
      expect(back).toEqual(value)
      expect(writeYaml(back as Record<string, Json>)).toBe(written)
      expect(written).not.toMatch(/[^\P{Cc}\t\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/u)
    }),
    { numRuns: 500 },
  )
})

test('[S14] keys are sorted, lists are not, and undefined values are left out', () => {
  const value = { b: [3, 1, { z: 1, a: 2 }], a: { x: {}, w: [] }, B: -0, c: undefined as unknown as Json }
  expect(writeYaml(value)).toBe('B: -0\na:\n  w: []\n  x: {}\nb:\n  - 3\n  - 1\n  - a: 2\n    z: 1\n')
})

test('[S14] text of several lines is written as a block', () => {
  expect(writeYaml({ a: { b: 'One: 1\n\n  two\n' }, c: ['x\ny', 'z\n\n'] })).toBe(
    'a:\n  b: |\n    One: 1\n\n      two\nc:\n  - |-\n    x\n    y\n  - |+\n    z\n\n',
  )
})
