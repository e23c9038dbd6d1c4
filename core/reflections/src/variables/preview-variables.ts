import type { PreviewedVariable, VariableFate, VariablesPreview } from '@parley/contracts'
import {
  applyDynamicExtrasBudget,
  type BudgetedVariables,
  CUT_ORDER,
  type SessionVariables,
  renderValue,
} from './build-dynamic-variables.ts'
import {
  listExtras,
  PERSONA_EXTRAS,
  type VariablesKind,
  FIXED_VARIABLES,
  EXTRA_VARIABLES,
  type ExtraName,
  type VariableName,
} from './variable-matrix.ts'

export interface VariablesInput {
  readonly kind: VariablesKind
  /** All variables of the session, before the budget. */
  readonly whole: SessionVariables
  readonly missed: readonly ExtraName[]
  readonly budget: number
}

/** The fate of every variable in such a session, with the reason. */
export function previewVariables(question: VariablesInput): Pick<VariablesPreview, 'variables' | 'budget'> {
  const { whole, budget } = question
  const budgeted = applyDynamicExtrasBudget(whole, budget)
  const variables = [...FIXED_VARIABLES, ...EXTRA_VARIABLES].map((name) =>
    previewVariable(name, question, budgeted),
  )
  const wanted = variables.reduce((sum, one) => sum + one.whole, 0)
  const used = variables.reduce((sum, { value }) => sum + value.length, 0)
  return { variables, budget: { most: budget, wanted, used, isOver: budgeted.kind === 'over-budget' } }
}

function previewVariable(
  name: VariableName,
  question: VariablesInput,
  budgeted: BudgetedVariables,
): PreviewedVariable {
  const value = question.whole[name]
  const text = value ? renderValue(value) : ''
  const rank = RANKED.indexOf(name)
  const isCuttable = CUT_ORDER.some((one) => one === name)
  const sent = findSentValue(name, text, isCuttable, budgeted)
  const fate = decideFate(name, text, sent, question)
  return {
    name,
    fate,
    why: explainFate(name, fate, question.kind),
    ...(rank >= 0 && { rank }),
    isCuttable,
    value: sent,
    whole: text.length,
  }
}

/** The last four have a rank, but are never cut. */
const RANKED: readonly VariableName[] = [
  ...CUT_ORDER,
  'actor_type',
  'allowed_actions',
  'session_access_scope',
  'user_id',
]

/** If the fixed variables alone are over the budget, all others are left out. */
function findSentValue(
  name: VariableName,
  text: string,
  isCuttable: boolean,
  budgeted: BudgetedVariables,
): string {
  if (budgeted.kind === 'over-budget') return isCuttable ? '' : text
  return budgeted.variables[name] ?? ''
}

function decideFate(
  name: VariableName,
  text: string,
  sent: string,
  { kind, missed }: VariablesInput,
): VariableFate {
  if (isFixedName(name)) return 'sent'
  if (!listExtras(kind).includes(name)) return 'withheld'
  if (missed.includes(name)) return 'missed'
  if (text === '') return 'unknown'
  if (sent === '') return 'dropped'
  return sent === text ? 'sent' : 'cut'
}

const isFixedName = (name: VariableName): name is (typeof FIXED_VARIABLES)[number] =>
  FIXED_VARIABLES.some((one) => one === name)

function explainFate(name: VariableName, fate: VariableFate, kind: VariablesKind): string {
  if (isFixedName(name)) return 'Always, and never cut.'
  return fate === 'withheld' ? explainWithheld(name, kind) : REASONS[fate]
}

const REASONS: Readonly<Record<Exclude<VariableFate, 'withheld'>, string>> = {
  sent: 'Known, and there is room for it.',
  cut: 'Cut to fit: variables of a lower rank were cut first.',
  dropped: 'Left out: no room for it.',
  unknown: 'No value is known.',
  missed: 'Not loaded in time: the session starts without it.',
}

function explainWithheld(name: ExtraName, { mode, audience, surface }: VariablesKind): string {
  if (audience === 'public' || surface === 'public') {
    return 'Public sessions get a name, the namespaces and some evidence only.'
  }
  if (PERSONA_EXTRAS.includes(name)) {
    return mode === 'interview'
      ? 'An interviewer has no persona.'
      : 'The promoted pack holds the persona; only the generic agent gets it as a variable.'
  }
  return 'Only for returning people.'
}
