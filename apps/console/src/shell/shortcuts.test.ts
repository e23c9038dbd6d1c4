import { expect, test } from 'vitest'
import { isPaletteKey } from './shortcuts.ts'

const pressed = { key: 'k', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

test.each<[string, Partial<typeof pressed>, boolean]>([
  ['control and k', { ctrlKey: true }, true],
  ['command and k', { metaKey: true }, true],
  ['the same with caps lock on', { ctrlKey: true, key: 'K' }, true],
  ['k alone', {}, false],
  ['with shift it belongs to the browser', { ctrlKey: true, shiftKey: true }, false],
  ['another key', { ctrlKey: true, key: 'j' }, false],
])('%s', (_, given, expected) => {
  expect(isPaletteKey({ ...pressed, ...given })).toBe(expected)
})
