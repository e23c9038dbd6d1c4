import { VARIABLES_BUDGET } from '@parley/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyDynamicExtrasBudget, SURVIVAL, type Variables } from './apply-dynamic-extras-budget.ts'
import { ALWAYS, EXTRAS } from './variable-name.ts'
import { json, list, rendered, text, type VariableValue } from './variable-value.ts'

const words = (length: number) =>
  'word '
    .repeat(Math.ceil(length / 5))
    .slice(0, length)
    .trimEnd()
const always: Variables = Object.fromEntries(ALWAYS.map((name) => [name, text(`${name} here`)]))

function fits(variables: Variables) {
  const outcome = applyDynamicExtrasBudget({ ...always, ...variables })
  if (outcome.kind !== 'fits') throw new Error('over budget')
  return outcome
}

describe('the budget of variables', () => {
  test('[V8] what fits is sent as it is', () => {
    const { variables, cut } = fits({ session_recap: text(words(900)) })
    expect(variables.session_recap).toBe(words(900))
    expect(cut).toEqual([])
  })

  test('[V8] [V12] the ranks are those of the contract: ten that are cut, in this order, and four that never are', () => {
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
    expect(SURVIVAL).toEqual(ranks.slice(0, 10))
    expect(ALWAYS).toEqual(expect.arrayContaining(ranks.slice(10)))
    expect([...EXTRAS].toSorted()).toEqual(ranks.slice(0, 10).toSorted())
    expect(VARIABLES_BUDGET).toBe(10_000)
  })

  test('[V8] the capsule is cut before anything else', () => {
    const capsule = json({ a: words(3_000), b: words(3_000), c: words(3_000) })
    const { variables, cut } = fits({ reflection_capsule_json: capsule, session_recap: text(words(5_000)) })
    expect(cut.map(({ name }) => name)).toEqual(['reflection_capsule_json'])
    expect(JSON.parse(variables.reflection_capsule_json ?? '')).toEqual({ a: words(3_000) })
    expect(variables.session_recap).toBe(words(5_000))
  })

  test.each(SURVIVAL.slice(0, -1).map((name, rank) => [name, SURVIVAL[rank + 1]] as const))(
    '[V8] %s goes before %s',
    (first, second) => {
      const { cut } = fits({
        [first]: text(words(8_000)),
        ...(second && { [second]: text(words(8_000)) }),
      })
      expect(cut.map(({ name }) => name)).toEqual([first])
    },
  )

  test('[V8] a list loses whole entries, and a value that does not fit is left out', () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `name-${index}`)
    const { variables, cut } = fits({
      reflection_namespaces: list(names),
      user_context: text('x'.repeat(20_000)),
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
      allowed_actions: text('a'.repeat(VARIABLES_BUDGET)),
    })
    expect(outcome).toEqual({ kind: 'over-budget', needed: expect.any(Number) })
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6_000 }),
    fc.lorem({ maxCount: 800 }),
    fc.constantFrom('👩‍👩‍👧‍👦'.repeat(700), '漢字'.repeat(3_000), 'é'.repeat(2_000), '\ud83d'.repeat(40)),
  )
  const anyValue: fc.Arbitrary<VariableValue> = fc.oneof(
    anyText.map(text),
    fc.array(anyText, { maxLength: 8 }).map(list),
    fc
      .array(
        fc.json({ maxDepth: 3 }).map((given) => JSON.parse(given)),
        { maxLength: 30 },
      )
      .map(json),
    fc.dictionary(fc.string(), anyText, { maxKeys: 8 }).map(json),
  )
  const anyExtras = fc.dictionary(fc.constantFrom(...EXTRAS), anyValue)

  test('[V8] whatever there is: never over it, no broken character or JSON, nothing of security touched, by rank', () => {
    fc.assert(
      fc.property(anyExtras, (extras) => {
        const given: Variables = { ...always, ...extras }
        const { variables, cut } = fits(extras)
        const sent = Object.values(variables)
        expect(sent.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(VARIABLES_BUDGET)
        expect(sent.every((value) => value.isWellFormed())).toBe(true)
        for (const name of ALWAYS) expect(variables[name]).toBe(`${name} here`)
        const ranks = cut.map(({ name }) => SURVIVAL.indexOf(name))
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
        for (const name of EXTRAS) {
          const value = given[name]
          const now = variables[name]
          if (!value || now === undefined) continue
          const whole = rendered(value)
          const isCut = cut.some((one) => one.name === name)
          expect(isCut).toBe(now !== whole)
          const isWhole = !isCut || value.kind !== 'text'
          expect(isWhole || whole.startsWith(now.slice(0, -2))).toBe(true)
          if (value.kind === 'entries' && /^[[{]/.test(value.render([]))) JSON.parse(now)
        }
        const lowest = Math.max(-1, ...ranks)
        for (const name of SURVIVAL.slice(0, Math.max(0, lowest))) {
          const left = given[name]
          const isEmpty = !left || rendered(left) === ''
          expect(isEmpty || cut.some((one) => one.name === name)).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })
})
