import type { TranscriptTurn } from '@parley/api-client'
import { expect, test } from 'vitest'
import { turnHeight } from './turn-height.ts'

const answered = (...parts: TranscriptTurn['parts']) => turnHeight({ key: 1, parts, state: 'completed' })

test('a longer answer is taken to be taller, by its lines', () => {
  const short = answered({ kind: 'text', text: 'Yes.' })
  const lines = answered({ kind: 'text', text: 'Yes.\n\nNo.\nPerhaps.' })
  const long = answered({ kind: 'text', text: 'word '.repeat(200) })
  expect(short).toBeLessThan(lines)
  expect(lines).toBeLessThan(long)
})

test('what is folded away counts as one line', () => {
  const folded = answered({ kind: 'reasoning', text: 'word '.repeat(2_000) })
  expect(folded).toBeLessThan(answered({ kind: 'text', text: 'word '.repeat(40) }))
})
