import { expect, test } from 'vitest'
import { detectMediaType, isModelMedia } from './media-type.ts'

test.each([
  ['89504e470d0a1a0a0000000d', 'image/png'],
  ['ffd8ffe000104a464946', 'image/jpeg'],
  ['474946383961', 'image/gif'],
  ['524946460a00000057454250565038', 'image/webp'],
  ['255044462d312e370a', 'application/pdf'],
  ['7f454c4602010100', undefined],
  ['504b0304', undefined],
  ['524946460a00000057415645', undefined],
  ['', undefined],
])('the bytes %s are of type %s', (hex, expected) => {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  expect(detectMediaType(bytes)).toBe(expected)
  expect(isModelMedia(expected ?? '')).toBe(expected !== undefined)
})

test('models cannot read other media types', () => {
  expect(isModelMedia('image/svg+xml')).toBe(false)
})
