import { expect, test } from 'vitest'
import { createAssembler, split } from './pieces.ts'
import { createOpener, createSealer } from './seal.ts'

const SECRET = Buffer.from('made-up-secret-of-our-processes!')

test('what one of ours sealed is opened once, and by nobody without the secret', () => {
  const seal = createSealer(SECRET, 'a')
  const open = createOpener(SECRET, 'a')
  const { counter, sealed } = seal('Grüße 🌍')
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('Gr')
  expect(createOpener(Buffer.from('another-made-up-secret-of-theirs'), 'a')(counter, sealed)).toBeUndefined()
  expect(createOpener(SECRET, 'b')(counter, sealed)).toBeUndefined()
  expect(open(counter + 1, sealed)).toBeUndefined()
  expect(open(counter, sealed)).toBe('Grüße 🌍')
  expect(open(counter, sealed)).toBeUndefined()
})

test('a seal that was tampered with is not opened, and does not lock out the real one', () => {
  const { counter, sealed } = createSealer(SECRET, 'a')('Hello')
  const open = createOpener(SECRET, 'a')
  for (const forged of ['', 'AAAA', `A${sealed.slice(1)}`, sealed.slice(4)]) {
    expect(open(counter, forged)).toBeUndefined()
    expect(open(2 ** 52, forged)).toBeUndefined()
  }
  expect(open(Number.NaN, sealed)).toBeUndefined()
  expect(open(counter, sealed)).toBe('Hello')
})

test('a long text goes in pieces, and comes together again; too long a text does not go', () => {
  const text = 'x'.repeat(1_000_000)
  const pieces = split(text) ?? []
  expect(pieces.every((piece) => piece.length < 7_900)).toBe(true)
  const assemble = createAssembler()
  const count = pieces.length
  const whole = pieces.map((piece, index) => assemble({ counter: 1, index, count, text: piece }))
  expect(whole.at(-1)).toBe(text)
  expect(whole.slice(0, -1).every((part) => part === undefined)).toBe(true)
  expect(split('x'.repeat(10_000_000))).toBeUndefined()
})

test('pieces that do not follow on are let go', () => {
  const assemble = createAssembler()
  const piece = (counter: number, index: number) =>
    assemble({ counter, index, count: 2, text: `${counter}.${index}` })
  expect([piece(1, 1), piece(2, 0), piece(3, 1), piece(4, 0), piece(4, 1)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    '4.04.1',
  ])
})
