import { createHash } from 'node:crypto'
import { unfenced } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fence } from './bound-text.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

test('fenced text is shown to people without the fence', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), (text) => {
      const shown = unfenced(fence(text, 'notes.md', hash))
      expect(shown.endsWith('\n') ? shown.slice(0, -1) : shown).toBe(
        text.endsWith('\n') ? text.slice(0, -1) : text,
      )
    }),
  )
  expect(unfenced('[data ab from x: y]\nno end')).toBe('[data ab from x: y]\nno end')
})
