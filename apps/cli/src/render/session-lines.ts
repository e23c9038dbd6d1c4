import {
  type Agent,
  type FsScopeTier,
  type ModelCost,
  type SessionCosts,
  ToolName,
  formatMoney,
  formatShortMoney,
} from '@parley/contracts'
import type { Display } from './display.ts'
import { fitText, sanitise, wrapWords } from './text.ts'

interface HeaderContent {
  readonly agent: Agent
  readonly access: AgentAccess
  /** Attached to the first message. */
  readonly files: readonly string[]
  readonly hint?: string | undefined
}

export function renderHeader(
  { agent, access, files, hint }: HeaderContent,
  { style, columns }: Display,
): string {
  const { name, id, provider, model } = agent
  const whole = provider === 'offline' ? model : `${provider}/${model}`
  const lines = [
    `${style.bold(sanitise(name ?? id))} ${style.dim(`(model ${sanitise(whole)})`)}`,
    ...(provider === 'offline'
      ? [style.dim(wrapWords('offline: answers only from the files and text you provide', columns))]
      : []),
    style.dim(wrapWords(sanitise(formatAgentAccess(access)), columns)),
    ...(files.length > 0 ? [style.dim(fitText(sanitise(`with ${files.join(', ')}`), columns))] : []),
    ...(hint === undefined ? [] : [style.dim(wrapWords(sanitise(hint), columns))]),
    style.dim(wrapWords('/help lists commands and keys; @FILE attaches a file.', columns)),
    style.dim(wrapWords('Ctrl-C stops an answer, Ctrl-D quits.', columns)),
  ]
  return `${lines.join('\n')}\n\n`
}

/** The folder and tools of an agent. */
interface AgentAccess {
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  readonly tools: readonly string[]
}

/** One line: folder, file scope and tools. */
export const formatAgentAccess = ({ workingDir, fsScope, tools }: AgentAccess): string =>
  [workingDir, fsScope, formatTools(tools)].join(' · ')

function formatTools(tools: readonly string[]): string {
  if (tools.length === 0) return 'no tools'
  if (ToolName.options.every((name) => tools.includes(name))) return 'all tools'
  const whole = GROUPS.filter(({ names }) => names.every((name) => tools.includes(name)))
  const others = tools.filter((tool) => !whole.some(({ names }) => names.some((name) => name === tool)))
  return `tools: ${[...whole.map(({ group }) => group), ...others].join(', ')}`
}

/** The short form for a full set. */
const GROUPS: readonly { readonly group: string; readonly names: readonly ToolName[] }[] = [
  { group: 'files', names: ['read_file', 'write_file', 'edit_file', 'list_directory', 'search_files'] },
  { group: 'git', names: ['git_status', 'git_commit'] },
]

/** The state of a chat, as far as known. */
export interface Status {
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** From 0 to 1, of the context window. */
  readonly contextUsed?: number | undefined
  readonly microcents?: number | undefined
  /** Steps with an unknown price. */
  readonly unpricedSteps?: number | undefined
}

/** One dim line; an agent with the name of its model is named once. */
export function formatStatus({ agent, model, contextUsed, ...cost }: Status): string {
  const isSame = agent?.toLowerCase() === model?.toLowerCase()
  return [
    agent,
    isSame ? undefined : model,
    contextUsed === undefined ? undefined : `${Math.round(contextUsed * 100)} % of context`,
    formatCost(cost),
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}

function formatCost({ microcents, unpricedSteps = 0 }: Pick<Status, 'microcents' | 'unpricedSteps'>) {
  if (microcents === undefined) return undefined
  if (unpricedSteps === 0) return formatShortMoney(microcents)
  return microcents === 0 ? 'cost unknown' : `${formatShortMoney(microcents)} + unknown`
}

export function sumCosts(costs: SessionCosts): Required<Pick<ModelCost, 'microcents' | 'unpricedSteps'>> {
  const all = Object.values(costs)
  return {
    microcents: all.reduce((sum, { microcents }) => sum + microcents, 0),
    unpricedSteps: all.reduce((sum, { unpricedSteps = 0 }) => sum + unpricedSteps, 0),
  }
}

/** One line per model, plus a total for several; unpriced steps are shown as unknown. */
export function listCostLines(costs: SessionCosts): readonly string[] {
  const lines = Object.entries(costs).map(
    ([model, cost]) => `${model}: ${formatAmount(cost)} (${formatTokens(cost)})`,
  )
  return lines.length > 1 ? [...lines, `Total: ${formatAmount(sumCosts(costs))}`] : lines
}

function formatAmount({
  microcents,
  unpricedSteps = 0,
}: Pick<ModelCost, 'microcents' | 'unpricedSteps'>): string {
  if (unpricedSteps === 0) return formatMoney(microcents)
  const steps = unpricedSteps === 1 ? 'the price of 1 step' : `the price of ${unpricedSteps} steps`
  return microcents === 0 ? `unknown, ${steps}` : `${formatMoney(microcents)}, plus ${steps} (unknown)`
}

const formatTokens = ({ inputTokens, outputTokens }: ModelCost): string =>
  `${inputTokens.toLocaleString('en')} tokens in, ${outputTokens.toLocaleString('en')} out`
