import { type Audience, type Role, type AgentAction, VARIABLES_BUDGET, type Json } from '@parley/contracts'
import { type Sha256, hashNamespaces } from '../artifacts/content-hash.ts'
import { type VariablesKind, listExtras, type ExtraName, type VariableName } from './variable-matrix.ts'

export type KnownExtras = Readonly<Partial<Record<ExtraName, VariableValue>>>

/** The facts about a session that every agent gets. */
interface SessionFacts {
  readonly reflectionId: string
  readonly conversationId: string
  readonly bindSig: string
  readonly offRecord: boolean
  readonly role: Role
  /** Undefined for a visitor. */
  readonly personId?: string
  readonly actions: readonly AgentAction[]
  readonly audience: Audience
  readonly namespaces: readonly string[]
}

/** The variables of a session: the known values that the matrix allows for its kind. */
export function buildDynamicVariables(
  facts: SessionFacts,
  kind: VariablesKind,
  known: KnownExtras,
  sha256: Sha256,
): SessionVariables {
  const extras = listExtras(kind).flatMap((name) => {
    const value = known[name]
    return value ? [[name, value] as const] : []
  })
  return {
    reflection_id: textValue(facts.reflectionId),
    conversation_id: textValue(facts.conversationId),
    conversation_bind_sig: textValue(facts.bindSig),
    off_record: textValue(String(facts.offRecord)),
    actor_type: textValue(facts.role),
    user_id: textValue(sha256(facts.personId ?? facts.conversationId).slice(0, USER_ID_LENGTH)),
    allowed_actions: listValue(facts.actions),
    session_access_scope: textValue(`${facts.audience}:${hashNamespaces(facts.namespaces, sha256)}`),
    ...Object.fromEntries(extras),
  }
}

const USER_ID_LENGTH = 16

/** The order in which variables are cut. Others are never cut. */
export const CUT_ORDER: readonly ExtraName[] = [
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

export type SessionVariables = Readonly<Partial<Record<VariableName, VariableValue>>>

/** The length of a variable before and after; 0 if it was left out. */
export interface VariableCut {
  readonly name: ExtraName
  readonly from: number
  readonly to: number
}

export type BudgetedVariables =
  | {
      readonly kind: 'fits'
      readonly variables: Readonly<Partial<Record<VariableName, string>>>
      readonly cut: readonly VariableCut[]
    }
  /** The variables that are never cut are over the budget. */
  | { readonly kind: 'over-budget'; readonly needed: number }

/** Cuts one variable after the other by rank, each as little as needed, until everything fits. */
export function applyDynamicExtrasBudget(
  given: SessionVariables,
  budget: number = VARIABLES_BUDGET,
): BudgetedVariables {
  const variables = renderAll(given)
  const cut: VariableCut[] = []
  let total = countCharacters(variables)
  for (const name of CUT_ORDER) {
    const value = given[name]
    const whole = variables[name]
    if (total <= budget) break
    if (!value || whole === undefined) continue
    const kept = cutToFit(value, whole.length - (total - budget))
    cut.push({ name, from: whole.length, to: kept?.length ?? 0 })
    if (kept === undefined) delete variables[name]
    else variables[name] = kept
    total = countCharacters(variables)
  }
  return total > budget ? { kind: 'over-budget', needed: total } : { kind: 'fits', variables, cut }
}

function renderAll(given: SessionVariables): Partial<Record<VariableName, string>> {
  const entries = Object.entries(given) as [VariableName, VariableValue][]
  const texts = entries.map(([name, value]) => [name, renderValue(value)] as const)
  return Object.fromEntries(
    texts.filter(([name, text]) => text !== '' || !CUT_ORDER.some((one) => one === name)),
  )
}

const countCharacters = (variables: Partial<Record<VariableName, string>>): number =>
  Object.values(variables).reduce((sum, { length }) => sum + length, 0)

/** The part of a value that fits; undefined if nothing fits. */
function cutToFit(value: VariableValue, room: number): string | undefined {
  const whole = renderValue(value)
  if (whole.length <= room) return whole === '' ? undefined : whole
  return value.kind === 'text' ? cutText(whole, room) : cutEntries(value, room)
}

/** The largest number of entries that fits. */
function cutEntries(value: Extract<VariableValue, { kind: 'entries' }>, room: number): string | undefined {
  let fit = 0
  let tooMany = value.entries.length
  while (tooMany - fit > 1) {
    const middle = Math.floor((fit + tooMany) / 2)
    if (renderValue(value, middle).length <= room) fit = middle
    else tooMany = middle
  }
  return fit === 0 ? undefined : renderValue(value, fit)
}

const ELLIPSIS = ' …'
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Cuts after a whole word, in any language, and adds an ellipsis. */
function cutText(text: string, room: number): string | undefined {
  const most = room - ELLIPSIS.length
  // The word at the border is checked whole.
  const reach = text.slice(0, Math.max(most, 0) + MAX_WORD_LENGTH)
  let end = 0
  for (const { index, segment, isWordLike } of WORDS.segment(reach)) {
    const stop = index + segment.length
    if (stop > most) break
    const isWhole = stop < reach.length || reach.length === text.length
    if (isWordLike && isWhole) end = stop
  }
  return end === 0 ? undefined : `${text.slice(0, end)}${ELLIPSIS}`
}

const MAX_WORD_LENGTH = 200

/** The value of a variable. Text is cut after a word, a list after an entry. */
export type VariableValue = TextValue | EntriesValue

interface TextValue {
  readonly kind: 'text'
  readonly text: string
}

interface EntriesValue {
  readonly kind: 'entries'
  /** The most important ones come first. */
  readonly entries: readonly string[]
  readonly render: (kept: readonly string[]) => string
}

export const textValue = (value: string): TextValue => ({ kind: 'text', text: value })

export const listValue = (entries: readonly string[]): EntriesValue => ({
  kind: 'entries',
  entries,
  render: (kept) => kept.join(', '),
})

/** An object or array; a cut removes whole members. */
export function jsonValue(value: Readonly<Record<string, Json>> | readonly Json[]): EntriesValue {
  if (Array.isArray(value)) {
    return { kind: 'entries', entries: value.map(toJsonText), render: (kept) => `[${kept.join(',')}]` }
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${toJsonText(member)}`,
  )
  return { kind: 'entries', entries: members, render: (kept) => `{${kept.join(',')}}` }
}

const toJsonText = (value: Json): string => JSON.stringify(value)

/** The text of a value, with all or the first entries of a list. It never ends in half a character. */
export function renderValue(value: VariableValue, entries?: number): string {
  if (value.kind === 'text') return value.text.toWellFormed()
  const kept = value.entries.slice(0, entries)
  return kept.length === 0 ? '' : value.render(kept).toWellFormed()
}
