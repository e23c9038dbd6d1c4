import { VARIABLES_BUDGET } from '@parley/contracts'
import type { ExtraName, VariableName } from './variable-name.ts'
import { type VariableValue, rendered } from './variable-value.ts'

/** The order in which variables are cut. Others are never cut. */
export const SURVIVAL: readonly ExtraName[] = [
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
]

export type Variables = Readonly<Partial<Record<VariableName, VariableValue>>>

/** The length of a variable before and after; 0 if it was left out. */
export interface Cut {
  readonly name: ExtraName
  readonly from: number
  readonly to: number
}

export type Budgeted =
  | {
      readonly kind: 'fits'
      readonly variables: Readonly<Partial<Record<VariableName, string>>>
      readonly cut: readonly Cut[]
    }
  /** The variables that are never cut are over the budget. */
  | { readonly kind: 'over-budget'; readonly needed: number }

/** Cuts by rank until everything fits: each variable as little as needed, one after the other. */
export function applyDynamicExtrasBudget(given: Variables, budget: number = VARIABLES_BUDGET): Budgeted {
  const variables = withText(given)
  const cut: Cut[] = []
  let total = lengthOf(variables)
  for (const name of SURVIVAL) {
    const value = given[name]
    const whole = variables[name]
    if (total <= budget) break
    if (!value || whole === undefined) continue
    const kept = cutToFit(value, whole.length - (total - budget))
    cut.push({ name, from: whole.length, to: kept?.length ?? 0 })
    if (kept === undefined) delete variables[name]
    else variables[name] = kept
    total = lengthOf(variables)
  }
  return total > budget ? { kind: 'over-budget', needed: total } : { kind: 'fits', variables, cut }
}

function withText(given: Variables): Partial<Record<VariableName, string>> {
  const entries = Object.entries(given) as [VariableName, VariableValue][]
  const texts = entries.map(([name, value]) => [name, rendered(value)] as const)
  return Object.fromEntries(
    texts.filter(([name, text]) => text !== '' || !SURVIVAL.some((one) => one === name)),
  )
}

const lengthOf = (variables: Partial<Record<VariableName, string>>): number =>
  Object.values(variables).reduce((sum, { length }) => sum + length, 0)

/** The part of a value that fits; undefined if nothing fits. */
function cutToFit(value: VariableValue, room: number): string | undefined {
  const whole = rendered(value)
  if (whole.length <= room) return whole === '' ? undefined : whole
  return value.kind === 'text' ? cutText(whole, room) : cutEntries(value, room)
}

/** The largest number of entries that fits. */
function cutEntries(value: Extract<VariableValue, { kind: 'entries' }>, room: number): string | undefined {
  let fit = 0
  let tooMany = value.entries.length
  while (tooMany - fit > 1) {
    const middle = Math.floor((fit + tooMany) / 2)
    if (rendered(value, middle).length <= room) fit = middle
    else tooMany = middle
  }
  return fit === 0 ? undefined : rendered(value, fit)
}

const ELLIPSIS = ' …'
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Cuts after a whole word, in any language, and adds an ellipsis. */
function cutText(text: string, room: number): string | undefined {
  const most = room - ELLIPSIS.length
  // The word at the border is checked whole.
  const reach = text.slice(0, Math.max(most, 0) + LONGEST_WORD)
  let end = 0
  for (const { index, segment, isWordLike } of WORDS.segment(reach)) {
    const stop = index + segment.length
    if (stop > most) break
    const isWhole = stop < reach.length || reach.length === text.length
    if (isWordLike && isWhole) end = stop
  }
  return end === 0 ? undefined : `${text.slice(0, end)}${ELLIPSIS}`
}

const LONGEST_WORD = 200
