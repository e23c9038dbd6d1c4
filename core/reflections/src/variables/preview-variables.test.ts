import type { PreviewedVariable } from '@parley/contracts'
import { expect, test } from 'vitest'
import { CUT_ORDER, textValue } from './build-dynamic-variables.ts'
import { previewVariables, type VariablesInput } from './preview-variables.ts'
import { FIXED_VARIABLES, EXTRA_VARIABLES, type VariableName } from './variable-matrix.ts'

const WORDS = 'one two three four'
const everything = Object.fromEntries(
  [...FIXED_VARIABLES, ...EXTRA_VARIABLES].map((name) => [name, textValue(WORDS)]),
)
const memory = { mode: 'reflection', audience: 'private', surface: 'memory', agent: 'generic' } as const

const look = (question: Partial<VariablesInput>) => {
  const looked = previewVariables({
    kind: memory,
    whole: everything,
    missed: [],
    budget: 10_000,
    ...question,
  })
  const of = (name: VariableName) => looked.variables.find((one) => one.name === name)
  return { ...looked, of }
}

test('[V7] the preview lists every variable, and their lengths add up', () => {
  const { variables, budget } = look({})
  expect(variables.map(({ name }) => name)).toEqual([...FIXED_VARIABLES, ...EXTRA_VARIABLES])
  expect(variables.every(({ fate, value }) => fate === 'sent' && value === WORDS)).toBe(true)
  expect(budget).toEqual({ most: 10_000, wanted: 18 * 18, used: 18 * 18, isOver: false })
})

test.each<[string, VariableName, Partial<VariablesInput>, Partial<PreviewedVariable>]>([
  ['[V8] the capsule is the first to be cut', 'reflection_capsule_json', {}, { rank: 0, isCuttable: true }],
  ['[V8] the display name is cut last', 'reflection_display_name', {}, { rank: 9, isCuttable: true }],
  ['[V8] the person has a rank and is never cut', 'user_id', {}, { rank: 13, isCuttable: false }],
  [
    '[V8] cut text ends with an ellipsis',
    'reflection_capsule_json',
    { budget: 18 * 18 - 6 },
    { fate: 'cut', value: 'one two …', whole: 18 },
  ],
  [
    '[V8] a dropped variable is not sent',
    'reflection_capsule_json',
    { budget: 18 * 17 },
    { fate: 'dropped', value: '', whole: 18 },
  ],
  ['[V8] a variable of a higher rank stays whole', 'user_context', { budget: 18 * 17 }, { fate: 'sent' }],
  [
    'a variable that did not load is marked as missed',
    'session_recap',
    { missed: ['session_recap'] },
    { fate: 'missed' },
  ],
  [
    'a variable without a value is marked as unknown',
    'creator_name',
    { whole: {} },
    { fate: 'unknown', value: '', whole: 0 },
  ],
  [
    '[P5] a public session has no recap',
    'session_recap',
    { kind: { ...memory, audience: 'public', surface: 'public' }, whole: {} },
    { fate: 'withheld', why: expect.stringMatching(/^Public sessions get/) as string },
  ],
  [
    '[V7] the persona is in the pack',
    'reflection_persona_narrative',
    { kind: { ...memory, agent: 'own' }, whole: {} },
    { fate: 'withheld', why: expect.stringMatching(/^The promoted pack holds the persona/) as string },
  ],
  [
    '[V7] an interviewer has no persona',
    'reflection_capsule_json',
    { kind: { ...memory, mode: 'interview' }, whole: {} },
    { fate: 'withheld', why: expect.stringMatching(/^An interviewer has no persona/) as string },
  ],
  [
    '[V7] a first session has no recap',
    'session_recap',
    { kind: { ...memory, surface: 'standard' }, whole: {} },
    { fate: 'withheld', why: expect.stringMatching(/^Only for returning people/) as string },
  ],
])('%s', (_, name, question, expected) => {
  expect(look(question).of(name)).toMatchObject(expected)
})

test('[V8] shrinking budgets cut variables in the order of their ranks', () => {
  const gone = new Set<string>()
  for (let budget = 18 * 18; budget >= 18 * 8; budget -= 18) {
    for (const { name, fate } of look({ budget }).variables) if (fate === 'dropped') gone.add(name)
  }
  expect([...gone]).toEqual(CUT_ORDER)
})

test('[V8] no session starts if the fixed variables are over the budget', () => {
  const { variables, budget } = look({ budget: 18 * 8 - 1 })
  expect(budget).toMatchObject({ isOver: true, used: 18 * 8 })
  expect(new Set(variables.filter(({ isCuttable }) => isCuttable).map(({ fate }) => fate))).toEqual(
    new Set(['dropped']),
  )
})
