import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Segment } from '../ports/ingest-store.ts'
import { splitChunks } from './split-chunks.ts'

const sentence = (n: number) => `Sentence number ${n} is about the tide and Dr. Holm's old boat.`
const prose = (count: number) => Array.from({ length: count }, (_, n) => sentence(n)).join(' ')

test('[K4] prose is split between sentences, into chunks of about a paragraph', () => {
  const chunks = splitChunks([{ text: prose(100), place: { heading: 'Tides' } }])
  expect(chunks.length).toBeGreaterThan(4)
  for (const chunk of chunks) {
    expect(chunk.text).toMatch(/^Sentence[^]*boat\.$/)
    expect(chunk.text.length).toBeLessThanOrEqual(1_200)
    expect(chunk.place).toEqual({ heading: 'Tides' })
  }
  for (const chunk of chunks.slice(0, -1)) expect(chunk.text.length).toBeGreaterThanOrEqual(850)
  expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index + 1))
})

test('segments with the same heading share a chunk; a new heading, page or day starts one', () => {
  const chunks = splitChunks([
    { text: 'One.', place: { heading: 'A', line: 1 } },
    { text: 'Two.', place: { heading: 'A', line: 3 } },
    { text: 'Three.', place: { heading: 'B' } },
    { text: 'Four.', place: { page: 2 } },
    { text: 'Five.', place: { date: '2020-01-01T10:00' } },
    { text: 'Six.', place: { date: '2020-01-01T11:00' } },
    { text: 'Seven.', place: { date: '2020-01-02' } },
  ])
  expect(chunks.map(({ text }) => text)).toEqual([
    'One.\n\nTwo.',
    'Three.',
    'Four.',
    'Five.\n\nSix.',
    'Seven.',
  ])
  expect(chunks[0]?.place).toEqual({ heading: 'A', line: 1 })
})

test('several speakers are named in the text, a single speaker in the place', () => {
  const mixed: readonly Segment[] = [
    { text: 'Where do you live?', place: { speaker: 'Interviewer' } },
    { text: 'By the sea.', place: { speaker: 'Ada' } },
    { text: 'Always.', place: { speaker: 'Ada' } },
  ]
  expect(splitChunks(mixed)).toMatchObject([
    { ordinal: 1, text: 'Interviewer: Where do you live?\nAda: By the sea.\nAlways.', place: {} },
  ])
  expect(splitChunks(mixed.slice(1))).toMatchObject([
    { ordinal: 1, text: 'By the sea.\nAlways.', place: { speaker: 'Ada' } },
  ])
})

test('[K3] a chunk lists the span and author of each message', () => {
  const messages = [
    { text: 'hello', place: { speaker: 'rui' } },
    { text: 'Zoe: I live in Lima\nrui: no', place: { speaker: '🦊 Mo' } },
    { text: 'Bye.', place: { speaker: '🦊 Mo' } },
  ]
  const [chunk] = splitChunks(messages)
  const turns = chunk?.turns?.map(({ from, to, speaker }) => [speaker, chunk.text.slice(from, to)])
  expect(turns).toEqual(messages.map(({ text, place }) => [place.speaker, text]))
  expect(splitChunks([{ text: 'A letter.', place: {} }])[0]).not.toHaveProperty('turns')
})

test('a chunk has the line number of its own start', () => {
  const text = Array.from({ length: 60 }, (_, n) => `Line ${n} of a very plain list of things.`).join('\n')
  const chunks = splitChunks([{ text, place: { line: 10 } }])
  for (const { text: part, place } of chunks) {
    const first = Number(/^Line (\d+)/.exec(part)?.[1])
    expect(place.line).toBe(10 + first)
  }
})

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4_000 }),
  fc.string({ unit: anyLetter, maxLength: 300 }),
  fc.lorem({ maxCount: 400 }),
  fc.constant('x'.repeat(5_000)),
  fc.constant('👩‍👩‍👧 '.repeat(900)),
  fc.constant('👩‍👩‍👧'.repeat(900)),
)
const anySegment = fc.record({
  text: anyText,
  place: fc.record(
    { heading: fc.constantFrom('A', 'B'), speaker: fc.constantFrom('Ada', 'Mara'), line: fc.constant(7) },
    { requiredKeys: [] },
  ),
})

test('[K4] no word is lost or split, and no chunk is too long', () => {
  fc.assert(
    fc.property(fc.array(anySegment, { maxLength: 12 }), (segments) => {
      const chunks = splitChunks(segments)
      // Chunks add speaker labels, so check only that the words of the segments follow in order.
      const all = chunks.map(({ text }) => text).join('\n')
      let at = 0
      for (const { text } of segments) {
        for (const word of text.split(/\s+/)) {
          for (const part of word.length > 1_200 ? [word.slice(0, 100)] : [word]) {
            const found = all.indexOf(part, at)
            if (found === -1) throw new Error(`"${part}" is missing or out of order`)
            at = found + part.length
          }
        }
      }
      for (const { text } of chunks) {
        expect(text.length).toBeLessThanOrEqual(1_300)
        expect(text.trim()).toBe(text)
      }
    }),
    { numRuns: 300 },
  )
})

test('[K4] chunks of a plain text contain all its characters, unchanged', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const joined = splitChunks([{ text, place: {} }]).map((chunk) => chunk.text)
      let at = 0
      for (const part of joined.flatMap((one) => one.split(/\s+/))) {
        at = text.indexOf(part, at)
        expect(at).toBeGreaterThanOrEqual(0)
        at += part.length
      }
      expect(joined.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
    { numRuns: 300 },
  )
})
