import {
  type Agent,
  type FsScopeTier,
  type ModelCost,
  type SessionCosts,
  ToolName,
  moneyOf,
  shortMoneyOf,
} from '@parley/contracts'
import type { ScreenLook } from './screen-look.ts'
import { fitText, neutralise, wrapWords } from './text.ts'

interface Above {
  readonly agent: Agent
  readonly place: Place
  /** They go along with the first message. */
  readonly files: readonly string[]
  readonly hint?: string | undefined
}

/** What stands above a conversation: who answers, where, from what, and which keys matter. */
export function renderHeader({ agent, place, files, hint }: Above, { style, columns }: ScreenLook): string {
  const { name, id, provider, model } = agent
  const whole = provider === 'offline' ? model : `${provider}/${model}`
  const lines = [
    `${style.bold(neutralise(name ?? id))} ${style.dim(`(model ${neutralise(whole)})`)}`,
    ...(provider === 'offline'
      ? [style.dim(wrapWords('offline: answers only from what you give it', columns))]
      : []),
    style.dim(wrapWords(neutralise(placeLine(place)), columns)),
    ...(files.length > 0 ? [style.dim(fitText(neutralise(`with ${files.join(', ')}`), columns))] : []),
    ...(hint === undefined ? [] : [style.dim(wrapWords(neutralise(hint), columns))]),
    style.dim(wrapWords('/help lists commands and keys; @FILE gives a file along.', columns)),
    style.dim(wrapWords('Ctrl-C stops an answer, Ctrl-D leaves.', columns)),
  ]
  return `${lines.join('\n')}\n\n`
}

/** Where an agent works, and with what. */
interface Place {
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  readonly tools: readonly string[]
}

/** In one line: the folder, how far files are reached from it, and which tools there are. */
export const placeLine = ({ workingDir, fsScope, tools }: Place): string =>
  [workingDir, fsScope, toolsText(tools)].join(' · ')

function toolsText(tools: readonly string[]): string {
  if (tools.length === 0) return 'no tools'
  if (ToolName.options.every((name) => tools.includes(name))) return 'all tools'
  const whole = GROUPS.filter(({ names }) => names.every((name) => tools.includes(name)))
  const others = tools.filter((tool) => !whole.some(({ names }) => names.some((name) => name === tool)))
  return `tools: ${[...whole.map(({ group }) => group), ...others].join(', ')}`
}

/** What is said in one word where all of it is there. */
const GROUPS: readonly { readonly group: string; readonly names: readonly ToolName[] }[] = [
  { group: 'files', names: ['read_file', 'write_file', 'edit_file', 'list_directory', 'search_files'] },
  { group: 'git', names: ['git_status', 'git_commit'] },
]

/** How a conversation stands, as far as that is known. */
export interface Status {
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** From 0 to 1, of what the model can read at once. */
  readonly contextUsed?: number | undefined
  readonly microcents?: number | undefined
  /** Steps whose price nobody knows. */
  readonly unpricedSteps?: number | undefined
}

/** One quiet line; an agent that is called like its model is named once. */
export function statusLine({ agent, model, contextUsed, ...cost }: Status): string {
  const isSame = agent?.toLowerCase() === model?.toLowerCase()
  return [
    agent,
    isSame ? undefined : model,
    contextUsed === undefined ? undefined : `${Math.round(contextUsed * 100)} % of context`,
    costOf(cost),
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}

function costOf({ microcents, unpricedSteps = 0 }: Pick<Status, 'microcents' | 'unpricedSteps'>) {
  if (microcents === undefined) return undefined
  if (unpricedSteps === 0) return shortMoneyOf(microcents)
  return microcents === 0 ? 'cost unknown' : `${shortMoneyOf(microcents)} and unknown`
}

/** What all models of a session cost together. */
export function totalCost(costs: SessionCosts): Required<Pick<ModelCost, 'microcents' | 'unpricedSteps'>> {
  const all = Object.values(costs)
  return {
    microcents: all.reduce((sum, { microcents }) => sum + microcents, 0),
    unpricedSteps: all.reduce((sum, { unpricedSteps = 0 }) => sum + unpricedSteps, 0),
  }
}

/** A line for each model, and one for all where there are several; what nobody knows the price of is said to be unknown. */
export function costLines(costs: SessionCosts): readonly string[] {
  const lines = Object.entries(costs).map(
    ([model, cost]) => `${model}: ${amountOf(cost)} (${tokensOf(cost)})`,
  )
  return lines.length > 1 ? [...lines, `In all: ${amountOf(totalCost(costs))}`] : lines
}

function amountOf({
  microcents,
  unpricedSteps = 0,
}: Pick<ModelCost, 'microcents' | 'unpricedSteps'>): string {
  if (unpricedSteps === 0) return moneyOf(microcents)
  const steps = unpricedSteps === 1 ? 'the price of 1 step' : `the price of ${unpricedSteps} steps`
  return microcents === 0 ? `unknown, ${steps}` : `${moneyOf(microcents)} and, unknown, ${steps}`
}

const tokensOf = ({ inputTokens, outputTokens }: ModelCost): string =>
  `${inputTokens.toLocaleString('en')} tokens in, ${outputTokens.toLocaleString('en')} out`
