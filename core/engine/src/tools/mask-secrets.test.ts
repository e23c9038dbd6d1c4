import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMaskedStream, maskValue, maskSecrets, type Secret } from './mask-secrets.ts'

const secrets: readonly Secret[] = [
  { name: 'SHORT', value: 'made-up-secret', otherForms: ['bWFkZS11cC1zZWNyZXQ='] },
  { name: 'LONG', value: 'made-up-secret-and-more' },
  { name: 'TINY', value: 'abc' },
]

test.each([
  ['the value', 'x made-up-secret y', 'x [secret SHORT] y'],
  ['a value within another', 'made-up-secret-and-more', '[secret LONG]'],
  ['another form of it', 'Basic bWFkZS11cC1zZWNyZXQ=', 'Basic [secret SHORT]'],
  ['every place', 'made-up-secret,made-up-secret', '[secret SHORT],[secret SHORT]'],
  ['a value too short to distinguish from other text', 'abc', 'abc'],
  [
    'values that overlap, as one',
    'made-up-secret-and-mormade-up-secret',
    '[secret SHORT]-and-mor[secret SHORT]',
  ],
  ['text without any', 'made up', 'made up'],
])('[S13] masks %s', (_, text, expected) => {
  expect(maskSecrets(text, secrets)).toBe(expected)
})

test('[S13] no part of two values that overlap is shown', () => {
  const overlapping = [
    { name: 'FIRST', value: 'made-up-key' },
    { name: 'SECOND', value: 'key-of-nobody' },
  ]
  expect(maskSecrets('a made-up-key-of-nobody z', overlapping)).toBe('a [secret SECOND] z')
})

// Few letters, so that values often begin, end and overlap in a text.
const anyLetters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '['), minLength, maxLength })
const anySecrets = fc
  .array(fc.record({ value: anyLetters(6, 9), otherForms: fc.array(anyLetters(6, 12), { maxLength: 2 }) }), {
    maxLength: 4,
  })
  .map((all) => all.map((secret, index): Secret => ({ ...secret, name: `S${index}` })))

/** Chunks with a value inside one or across several of them. */
const anyChunks = (known: readonly Secret[]) => {
  const values = known.flatMap(({ value, otherForms = [] }) => [value, ...otherForms])
  const piece =
    values.length === 0 ? anyLetters(0, 20) : fc.oneof(anyLetters(0, 20), fc.constantFrom(...values))
  return fc
    .tuple(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(200), { maxLength: 20 }))
    .map(([pieces, cuts]) => cutText(pieces.join(''), cuts))
}

function cutText(text: string, cuts: readonly number[]): readonly string[] {
  const borders = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].toSorted((a, b) => a - b)
  return borders.slice(1).map((border, index) => text.slice(borders[index], border))
}

test('[S13] a text masked in any chunks is the text masked as a whole, and holds no value', () => {
  const given = anySecrets.chain((known) => fc.tuple(fc.constant(known), anyChunks(known)))
  fc.assert(
    fc.property(given, ([known, chunks]) => {
      const stream = createMaskedStream(known)
      const streamed = [...chunks.map((chunk) => stream.push(chunk)), stream.end()].join('')
      expect(streamed).toBe(maskSecrets(chunks.join(''), known))
      for (const { value, otherForms = [] } of known)
        for (const form of [value, ...otherForms])
          expect(streamed.split(/\[secret S\d\]/).some((shown) => shown.includes(form))).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

test('[S13] only a possible beginning of a value is delayed', () => {
  const given = anySecrets.chain((known) => fc.tuple(fc.constant(known), anyChunks(known)))
  fc.assert(
    fc.property(given, ([known, chunks]) => {
      const stream = createMaskedStream(known)
      const forms = known.flatMap(({ value, otherForms = [] }) => [value, ...otherForms])
      let pushed = ''
      let shown = ''
      for (const chunk of chunks) {
        pushed += chunk
        shown += stream.push(chunk)
        const mayGoOn = forms.some((form) =>
          Array.from(form, (_, length) => form.slice(0, length)).some(
            (beginning) => beginning !== '' && pushed.endsWith(beginning),
          ),
        )
        expect(mayGoOn || shown === maskSecrets(pushed, known)).toBe(true)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('[S13] an ordinary word is shown at once, and a stream serves one text after another', () => {
  const stream = createMaskedStream(secrets)
  expect(stream.push('An ordinary word')).toBe('An ordinary word')
  expect(stream.push(' is made')).toBe(' is ')
  expect(stream.push(' up')).toBe('made up')
  expect(stream.push(' made-up-')).toBe(' ')
  expect(stream.end()).toBe('made-up-')
  expect(stream.push('secret')).toBe('secret')
})

test.each([
  ['most of a value', 'x made-up-secre', 'x [secret SHORT]'],
  ['half of a value', 'x made-up', 'x [secret SHORT]'],
  ['less than half of a value', 'x made-u', 'x made-u'],
  ['most of another form of it', 'x bWFkZS11cC1zZWNy', 'x [secret SHORT]'],
  ['most of a value that begins with another', 'x made-up-secret-and-mo', 'x [secret LONG]'],
  ['a whole value before other text', 'made-up-secret made', '[secret SHORT] made'],
  ['text without any', 'x made by hand', 'x made by hand'],
])('[S13] of a text that is broken off, masks as the secret %s', (_, text, expected) => {
  const stream = createMaskedStream(secrets)
  expect(stream.push(text) + stream.breakOff()).toBe(expected)
  expect(stream.push('secret')).toBe('secret')
})

test('[S13] most of a value that overlaps two others is masked with them', () => {
  const stream = createMaskedStream([
    { name: 'LONG', value: 'aabb[bab' },
    { name: 'SHORT', value: 'abb[ba' },
  ])
  expect(stream.push('abb[baabb[ba') + stream.breakOff()).toBe('[secret LONG]')
})

test('[S13] a text that is broken off is masked the same in any chunks, and does not end with most of a value', () => {
  const given = anySecrets.chain((known) => fc.tuple(fc.constant(known), anyChunks(known)))
  fc.assert(
    fc.property(given, ([known, chunks]) => {
      const stream = createMaskedStream(known)
      const streamed = [...chunks.map((chunk) => stream.push(chunk)), stream.breakOff()].join('')
      expect(streamed).toBe(stream.push(chunks.join('')) + stream.breakOff())
      for (const { value, otherForms = [] } of known)
        for (const form of [value, ...otherForms])
          for (let length = Math.max(6, Math.ceil(form.length / 2)); length <= form.length; length += 1)
            expect(streamed.endsWith(form.slice(0, length))).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

const mask = (text: string) => maskSecrets(text, secrets)

test('[S13] text with a value is masked, and other objects stay identical', () => {
  const bytes = new TextEncoder().encode('made-up-secret')
  const plain = { at: [1, null, undefined, 'x', { deep: true }], bytes }
  expect(maskValue(plain, mask)).toBe(plain)
  const masked = maskValue({ 'made-up-secret': [{ at: 'made-up-secret' }, 'x'], bytes }, mask)
  expect(masked).toEqual({ '[secret SHORT]': [{ at: '[secret SHORT]' }, 'x'], bytes })
  expect(masked.bytes).toBe(bytes)
})
