import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSseParser } from './parse-sse.ts'

test.each<[string, string, readonly string[]]>([
  ['an event with its id and type', 'id: 7\nevent: agent:token\ndata: {"a":1}\n\n', ['{"a":1}']],
  ['data without the space', 'data:x\n\n', ['x']],
  ['only the first space belongs to the form', 'data:  x\n\n', [' x']],
  ['data on several lines', 'data: a\ndata: b\n\n', ['a\nb']],
  ['a comment says nothing', ': heartbeat\n\n', []],
  ['an event without data says nothing', 'id: 7\n\ndata: x\n\n', ['x']],
  ['an event is complete at its empty line', 'data: a\n\ndata: b\n', ['a']],
  ['lines that end as on other machines', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
])('%s', (_, text, expected) => {
  expect(createSseParser().push(text)).toEqual(expected)
})

const ending = fc.constantFrom('\n', '\r\n')
const streamed = fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é') }), ending), {
  maxLength: 8,
})

test('[S6] however the text is cut into pieces, the events are the same', () => {
  fc.assert(
    fc.property(streamed, fc.array(fc.nat(), { maxLength: 12 }), (events, cuts) => {
      const text = events.map(([data, end]) => `: hm${end}data: ${data}${end}${end}`).join('')
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length]
      const parser = createSseParser()
      const pieces = places.slice(1).map((to, index) => text.slice(places[index], to))
      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(events.map(([data]) => data))
    }),
  )
})
