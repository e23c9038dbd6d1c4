import { expect, test } from 'vitest'
import { createOpener, createSealer } from './frames.ts'

const SECRET = Buffer.from('made-up-secret-of-our-processes!')
const OTHER_SECRET = Buffer.from('another-made-up-secret-of-theirs')

test('a sealed message opens once, and only with the secret', () => {
  const { counter, sealed } = createSealer(SECRET, 'a')(Buffer.from('Grüße 🌍'))
  const open = createOpener(SECRET, 'a')
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('Gr')
  expect(createOpener(OTHER_SECRET, 'a')(counter, sealed)).toBeUndefined()
  expect(createOpener(SECRET, 'b')(counter, sealed)).toBeUndefined()
  expect(open(counter + 1, sealed)).toBeUndefined()
  expect(open(counter, sealed)?.toString()).toBe('Grüße 🌍')
  expect(open(counter, sealed)).toBeUndefined()
})

test('a message older than the last opened one is refused', () => {
  const seal = createSealer(SECRET, 'a')
  const open = createOpener(SECRET, 'a')
  const [first, second] = [seal(Buffer.from('one')), seal(Buffer.from('two'))]
  expect(open(second.counter, second.sealed)?.toString()).toBe('two')
  expect(open(first.counter, first.sealed)).toBeUndefined()
})

test('equal texts look different when sealed', () => {
  const seal = createSealer(SECRET, 'a')
  const words = Buffer.from('The same words')
  expect(seal(words).sealed).not.toBe(seal(words).sealed)
  expect(seal(words).sealed).not.toBe(createSealer(SECRET, 'b')(words).sealed)
})

test('a manipulated message is refused, and the real one still opens', () => {
  const { counter, sealed } = createSealer(SECRET, 'a')(Buffer.from('Hello'))
  const open = createOpener(SECRET, 'a')
  for (const forged of ['', 'AAAA', `A${sealed.slice(1)}`, sealed.slice(4)]) {
    expect(open(counter, forged)).toBeUndefined()
    expect(open(2 ** 52, forged)).toBeUndefined()
  }
  for (const wrong of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])
    expect(open(wrong, sealed)).toBeUndefined()
  expect(open(counter, sealed)?.toString()).toBe('Hello')
})
