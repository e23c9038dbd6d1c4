import { VARIABLES_BUDGET } from '@parley/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyDynamicExtrasBudget,
  CUT_ORDER,
  type SessionVariables,
  jsonValue,
  listValue,
  renderValue,
  textValue,
  type VariableValue,
} from './build-dynamic-variables.ts'
import { FIXED_VARIABLES, EXTRA_VARIABLES } from './variable-matrix.ts'

const words = (length: number) =>
  'word '
    .repeat(Math.ceil(length / 5))
    .slice(0, length)
    .trimEnd()
const always: SessionVariables = Object.fromEntries(
  FIXED_VARIABLES.map((name) => [name, textValue(`${name} here`)]),
)

function fits(variables: SessionVariables) {
  const outcome = applyDynamicExtrasBudget({ ...always, ...variables })
  if (outcome.kind !== 'fits') throw new Error('over budget')
  return outcome
}

describe('the budget of variables', () => {
  test('[V8] variables within the budget are sent unchanged', () => {
    const { variables, cut } = fits({ session_recap: textValue(words(900)) })
    expect(variables.session_recap).toBe(words(900))
    expect(cut).toEqual([])
  })

  test('[V8] [V12] ten variables are cut, in the contract’s order, and four are never cut', () => {
    const ranks = [
      'reflection_capsule_json',
      'user_context',
      'preloaded_evidence',
      'session_recap',
      'explore_next',
      'reflection_persona_narrative',
      'reflection_speaking_style',
      'reflection_namespaces',
      'creator_name',
      'reflection_display_name',
      'actor_type',
      'allowed_actions',
      'session_access_scope',
      'user_id',
    ]
    expect(CUT_ORDER).toEqual(ranks.slice(0, 10))
    expect(FIXED_VARIABLES).toEqual(expect.arrayContaining(ranks.slice(10)))
    expect([...EXTRA_VARIABLES].toSorted()).toEqual(ranks.slice(0, 10).toSorted())
    expect(VARIABLES_BUDGET).toBe(10_000)
  })

  test('[V8] the capsule is cut before anything else', () => {
    const capsule = jsonValue({ a: words(3_000), b: words(3_000), c: words(3_000) })
    const { variables, cut } = fits({
      reflection_capsule_json: capsule,
      session_recap: textValue(words(5_000)),
    })
    expect(cut.map(({ name }) => name)).toEqual(['reflection_capsule_json'])
    expect(JSON.parse(variables.reflection_capsule_json ?? '')).toEqual({ a: words(3_000) })
    expect(variables.session_recap).toBe(words(5_000))
  })

  test.each(CUT_ORDER.slice(0, -1).map((name, rank) => [name, CUT_ORDER[rank + 1]] as const))(
    '[V8] %s is cut before %s',
    (first, second) => {
      const { cut } = fits({
        [first]: textValue(words(8_000)),
        ...(second && { [second]: textValue(words(8_000)) }),
      })
      expect(cut.map(({ name }) => name)).toEqual([first])
    },
  )

  test('[V8] a list loses whole entries, and a value that does not fit is left out', () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `name-${index}`)
    const { variables, cut } = fits({
      reflection_namespaces: listValue(names),
      user_context: textValue('x'.repeat(20_000)),
    })
    expect(variables.user_context).toBeUndefined()
    expect(cut[0]).toEqual({ name: 'user_context', from: 20_000, to: 0 })
    const kept = variables.reflection_namespaces?.split(', ') ?? []
    expect(kept.length).toBeGreaterThan(500)
    expect(names.slice(0, kept.length)).toEqual(kept)
  })

  test('[V8] fixed variables over the budget are reported', () => {
    const outcome = applyDynamicExtrasBudget({
      ...always,
      allowed_actions: textValue('a'.repeat(VARIABLES_BUDGET)),
    })
    expect(outcome).toEqual({ kind: 'over-budget', needed: expect.any(Number) })
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6_000 }),
    fc.lorem({ maxCount: 800 }),
    fc.constantFrom('👩‍👩‍👧‍👦'.repeat(700), '漢字'.repeat(3_000), 'é'.repeat(2_000), '\ud83d'.repeat(40)),
  )
  const anyValue: fc.Arbitrary<VariableValue> = fc.oneof(
    anyText.map(textValue),
    fc.array(anyText, { maxLength: 8 }).map(listValue),
    fc
      .array(
        fc.json({ maxDepth: 3 }).map((given) => JSON.parse(given)),
        { maxLength: 30 },
      )
      .map(jsonValue),
    fc.dictionary(fc.string(), anyText, { maxKeys: 8 }).map(jsonValue),
  )
  const anyExtras = fc.dictionary(fc.constantFrom(...EXTRA_VARIABLES), anyValue)

  test('[V8] any variables fit the budget, in the order of ranks, without broken characters or JSON, and fixed ones stay', () => {
    fc.assert(
      fc.property(anyExtras, (extras) => {
        const given: SessionVariables = { ...always, ...extras }
        const { variables, cut } = fits(extras)
        const sent = Object.values(variables)
        expect(sent.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(VARIABLES_BUDGET)
        expect(sent.every((value) => value.isWellFormed())).toBe(true)
        for (const name of FIXED_VARIABLES) expect(variables[name]).toBe(`${name} here`)
        const ranks = cut.map(({ name }) => CUT_ORDER.indexOf(name))
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
        for (const name of EXTRA_VARIABLES) {
          const value = given[name]
          const now = variables[name]
          if (!value || now === undefined) continue
          const whole = renderValue(value)
          const isCut = cut.some((one) => one.name === name)
          expect(isCut).toBe(now !== whole)
          const isWhole = !isCut || value.kind !== 'text'
          expect(isWhole || whole.startsWith(now.slice(0, -2))).toBe(true)
          if (value.kind === 'entries' && /^[[{]/.test(value.render([]))) JSON.parse(now)
        }
        const lowest = Math.max(-1, ...ranks)
        for (const name of CUT_ORDER.slice(0, Math.max(0, lowest))) {
          const left = given[name]
          const isEmpty = !left || renderValue(left) === ''
          expect(isEmpty || cut.some((one) => one.name === name)).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })
})
