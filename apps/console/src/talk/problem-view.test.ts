import { describe, expect, test } from 'vitest'
import type { TalkProblem } from './problem.ts'
import { describeProblem, type ProblemAction } from './problem-view.tsx'

const PROBLEMS: readonly TalkProblem[] = [
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

describe.each(PROBLEMS)('$kind', (problem) => {
  test('has a title and a text, and hides internal actions from visitors', () => {
    const text = describeProblem(problem, 'visitor')
    expect(text.title).not.toBe('')
    expect(text.text).not.toBe('')
    expect(text.details ?? []).toEqual([])
    expect(text.actions).not.toContain('runtime')
    expect(text.actions).not.toContain('voice-settings')
  })

  test('has an action or retries automatically, unless the link is invalid', () => {
    const { actions, isRetried } = describeProblem(problem, 'visitor')
    expect(actions.length > 0 || isRetried === true || problem.kind === 'link-invalid').toBe(true)
  })
})

test('[V11] only the owner is offered to choose a voice; members see that the owner can', () => {
  const missing: TalkProblem = { kind: 'voice-missing', missing: ['no voice is chosen'] }
  expect(describeProblem(missing, 'owner').actions).toEqual(['type', 'voice-settings'])
  expect(describeProblem(missing, 'member').text).toContain('its owner can choose')
})

test.each<[TalkProblem, readonly ProblemAction[]]>([
  [{ kind: 'microphone-denied' }, ['retry', 'type']],
  [{ kind: 'voice-missing', missing: [] }, ['type']],
  [{ kind: 'public-stale', differs: [] }, ['retry', 'runtime']],
])('a member’s actions for %j', (problem, actions) => {
  expect(describeProblem(problem, 'member').actions).toEqual(actions)
})

test.each([
  [1, 'Too many requests'],
  [59, 'Try again in 59 seconds'],
  [61, 'Try again in 2 minutes'],
  [7_000, 'Try again in 2 hours'],
])('%i seconds', (seconds, title) => {
  expect(describeProblem({ kind: 'rate-limited', message: '', seconds }, 'visitor').title).toBe(title)
})
