import { describe, expect, test } from 'vitest'
import type { Trouble } from './trouble.ts'
import { troubleInWords, type WayOn } from './trouble-in-words.ts'

const TROUBLES: readonly Trouble[] = [
  { kind: 'microphone-denied' },
  { kind: 'microphone-missing' },
  { kind: 'microphone-busy' },
  { kind: 'microphone-unreachable' },
  { kind: 'public-stale', differs: ['the hash of secrets'] },
  { kind: 'public-not-ready', missing: ['a private namespace'] },
  { kind: 'not-ready', missing: [] },
  { kind: 'voice-missing', missing: ['no voice is chosen'] },
  { kind: 'link-invalid' },
  { kind: 'nothing-public' },
  { kind: 'gone' },
  { kind: 'ended', message: 'Over.' },
  { kind: 'rate-limited', message: 'Wait.', seconds: 5 },
  { kind: 'provider-unavailable' },
  { kind: 'unreachable' },
  { kind: 'other', message: 'No.' },
]

describe.each(TROUBLES)('$kind', (trouble) => {
  test('says something, and a visitor is told nothing of the house', () => {
    const words = troubleInWords(trouble, 'visitor')
    expect(words.title).not.toBe('')
    expect(words.text).not.toBe('')
    expect(words.details ?? []).toEqual([])
    expect(words.ways).not.toContain('runtime')
    expect(words.ways).not.toContain('voice-settings')
  })

  test('has a way on, or waits by itself, unless the link is no good', () => {
    const { ways, waits } = troubleInWords(trouble, 'visitor')
    expect(ways.length > 0 || waits === true || trouble.kind === 'link-invalid').toBe(true)
  })
})

test('[V11] a voice is offered to be chosen to who may choose it, and others are told who may', () => {
  const missing: Trouble = { kind: 'voice-missing', missing: ['no voice is chosen'] }
  expect(troubleInWords(missing, 'owner').ways).toEqual(['type', 'voice-settings'])
  expect(troubleInWords(missing, 'member').text).toContain('its owner can choose')
})

test.each<[Trouble, readonly WayOn[]]>([
  [{ kind: 'microphone-denied' }, ['again', 'type']],
  [{ kind: 'voice-missing', missing: [] }, ['type']],
  [{ kind: 'public-stale', differs: [] }, ['again', 'runtime']],
])('a member’s ways on from %j', (trouble, ways) => {
  expect(troubleInWords(trouble, 'member').ways).toEqual(ways)
})

test.each([
  [1, 'That was too often'],
  [59, 'Come back in 59 seconds'],
  [61, 'Come back in 2 minutes'],
  [7_000, 'Come back in 2 hours'],
])('%i seconds', (seconds, title) => {
  expect(troubleInWords({ kind: 'rate-limited', message: '', seconds }, 'visitor').title).toBe(title)
})
