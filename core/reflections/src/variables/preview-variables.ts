import type { PreviewedVariable, VariableFate, VariablesPreview } from '@parley/contracts'
import {
  applyDynamicExtrasBudget,
  type Budgeted,
  SURVIVAL,
  type Variables,
} from './apply-dynamic-extras-budget.ts'
import { extrasFor, PERSONA, type VariablesFor } from './variable-matrix.ts'
import { ALWAYS, EXTRAS, type ExtraName, type VariableName } from './variable-name.ts'
import { rendered } from './variable-value.ts'

export interface VariablesQuestion {
  readonly kind: VariablesFor
  /** All variables of the session, before the budget. */
  readonly whole: Variables
  readonly missed: readonly ExtraName[]
  readonly budget: number
}

/** The fate of every variable in such a session, with the reason. */
export function previewVariables(
  question: VariablesQuestion,
): Pick<VariablesPreview, 'variables' | 'budget'> {
  const { whole, budget } = question
  const budgeted = applyDynamicExtrasBudget(whole, budget)
  const variables = [...ALWAYS, ...EXTRAS].map((name) => previewVariable(name, question, budgeted))
  const wanted = variables.reduce((sum, one) => sum + one.whole, 0)
  const used = variables.reduce((sum, { value }) => sum + value.length, 0)
  return { variables, budget: { most: budget, wanted, used, isOver: budgeted.kind === 'over-budget' } }
}

function previewVariable(
  name: VariableName,
  question: VariablesQuestion,
  budgeted: Budgeted,
): PreviewedVariable {
  const value = question.whole[name]
  const text = value ? rendered(value) : ''
  const rank = RANKED.indexOf(name)
  const isCuttable = SURVIVAL.some((one) => one === name)
  const sent = sentOf(name, text, isCuttable, budgeted)
  const fate = fateOf(name, text, sent, question)
  return {
    name,
    fate,
    why: whyOf(name, fate, question.kind),
    ...(rank >= 0 && { rank }),
    isCuttable,
    value: sent,
    whole: text.length,
  }
}

/** By V8: the last four are ranked but never cut. */
const RANKED: readonly VariableName[] = [
  ...SURVIVAL,
  'actor_type',
  'allowed_actions',
  'session_access_scope',
  'user_id',
]

/** If the fixed variables alone are over the budget, all others are left out. */
function sentOf(name: VariableName, text: string, isCuttable: boolean, budgeted: Budgeted): string {
  if (budgeted.kind === 'over-budget') return isCuttable ? '' : text
  return budgeted.variables[name] ?? ''
}

function fateOf(
  name: VariableName,
  text: string,
  sent: string,
  { kind, missed }: VariablesQuestion,
): VariableFate {
  if (isAlways(name)) return 'sent'
  if (!extrasFor(kind).includes(name)) return 'withheld'
  if (missed.includes(name)) return 'missed'
  if (text === '') return 'unknown'
  if (sent === '') return 'dropped'
  return sent === text ? 'sent' : 'cut'
}

const isAlways = (name: VariableName): name is (typeof ALWAYS)[number] => ALWAYS.some((one) => one === name)

function whyOf(name: VariableName, fate: VariableFate, kind: VariablesFor): string {
  if (isAlways(name)) return 'Always, and never cut.'
  return fate === 'withheld' ? whyWithheld(name, kind) : WHY[fate]
}

const WHY: Readonly<Record<Exclude<VariableFate, 'withheld'>, string>> = {
  sent: 'Known, and there is room for it.',
  cut: 'Cut to fit: variables of a lower rank were cut first.',
  dropped: 'Left out: no room for it.',
  unknown: 'No value is known.',
  missed: 'Not loaded in time: the session starts without it.',
}

function whyWithheld(name: ExtraName, { mode, audience, surface }: VariablesFor): string {
  if (audience === 'public' || surface === 'public') {
    return 'Public sessions get a name, the namespaces and some evidence only.'
  }
  if (PERSONA.includes(name)) {
    return mode === 'interview'
      ? 'An interviewer has no persona.'
      : 'The promoted pack holds the persona; only the generic agent gets it as a variable.'
  }
  return 'Only for returning people.'
}
