import { describe, expect, test } from 'vitest'
import type { TalkProblem } from './problem.ts'
import { describeProblem, type ProblemAction } from './problem-view.tsx'

const TROUBLES: readonly TalkProblem[] = [
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

describe.each(TROUBLES)('$kind', (problem) => {
  test('has a title and a text, and hides internal actions from visitors', () => {
    const words = describeProblem(problem, 'visitor')
    expect(words.title).not.toBe('')
    expect(words.text).not.toBe('')
    expect(words.details ?? []).toEqual([])
    expect(words.ways).not.toContain('runtime')
    expect(words.ways).not.toContain('voice-settings')
  })

  test('has an action or retries automatically, unless the link is invalid', () => {
    const { ways, waits } = describeProblem(problem, 'visitor')
    expect(ways.length > 0 || waits === true || problem.kind === 'link-invalid').toBe(true)
  })
})

test('[V11] only the owner is offered to choose a voice; members see that the owner can', () => {
  const missing: TalkProblem = { kind: 'voice-missing', missing: ['no voice is chosen'] }
  expect(describeProblem(missing, 'owner').ways).toEqual(['type', 'voice-settings'])
  expect(describeProblem(missing, 'member').text).toContain('its owner can choose')
})

test.each<[TalkProblem, readonly ProblemAction[]]>([
  [{ kind: 'microphone-denied' }, ['again', 'type']],
  [{ kind: 'voice-missing', missing: [] }, ['type']],
  [{ kind: 'public-stale', differs: [] }, ['again', 'runtime']],
])('a member’s ways on from %j', (problem, ways) => {
  expect(describeProblem(problem, 'member').ways).toEqual(ways)
})

test.each([
  [1, 'Too many requests'],
  [59, 'Try again in 59 seconds'],
  [61, 'Try again in 2 minutes'],
  [7_000, 'Try again in 2 hours'],
])('%i seconds', (seconds, title) => {
  expect(describeProblem({ kind: 'rate-limited', message: '', seconds }, 'visitor').title).toBe(title)
})
