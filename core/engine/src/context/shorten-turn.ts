import type { TurnError } from '@parley/contracts'
import { addUsage, costOf } from '../budget/cost.ts'
import { budgetFor } from '../budget/decide-budget.ts'
import { tokensOfFrame, tokensOfMessages } from '../budget/estimate-tokens.ts'
import type { ModelPort } from '../ports/model.ts'
import { CANCELLED, type Turn, type TurnHost, type TurnMessage, type TurnOutput } from '../turn/turn.ts'
import { type ContextPlan, type PastMessage, planContext } from './plan-context.ts'
import { summarise, summaryRequest } from './summarise.ts'

/** What is to be done about the turn's past before this model is asked. */
export function planTurn(turn: Turn, model: ModelPort, host: TurnHost): ContextPlan {
  const { past, transcript } = turn
  const { contextWindow } = model
  const system = systemOf(turn)
  const otherTokens =
    contextWindow === undefined
      ? 0
      : tokensOfFrame({ system, tools: host.tools.declarations }) + tokensOfMessages(transcript)
  const maxTokens = maxTokensOf(model, host)
  return planContext({ past, otherTokens, contextWindow, maxTokens }, host.limits)
}

/**
 * The turn with no more of the past than its model may be given. What is left out stays in the store, is marked there,
 * and is told of.
 */
export async function* shortenTurn(
  turn: Turn,
  plan: Exclude<ContextPlan, { kind: 'as-is' }>,
  model: ModelPort,
  host: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  switch (plan.kind) {
    case 'too-long':
      return { ...turn, failure: tooLong(model) }
    case 'trim':
      return yield* trimmed(turn, plan.keep)
    case 'compact':
      return yield* compacted(turn, plan.keep, model, host)
    default:
      return plan satisfies never
  }
}

/** The part of a window that an answer may have, where the window is small. */
const ANSWER_OF_WINDOW = 0.25

/** How long an answer may be: as the agent has it, if the model's window leaves room for a question. */
export const maxTokensOf = (
  { contextWindow = Infinity }: Pick<ModelPort, 'contextWindow'>,
  { maxTokens }: Pick<TurnHost, 'maxTokens'>,
): number => Math.min(maxTokens, Math.floor(contextWindow * ANSWER_OF_WINDOW))

/** The system prompt, with what a summary says of messages that are no longer given. */
export const systemOf = ({ system, summary }: Pick<Turn, 'system' | 'summary'>): string =>
  summary === undefined ? system : `${system}\n\nSummary of the conversation so far:\n${summary}`.trim()

async function* trimmed(turn: Turn, keep: number): AsyncGenerator<TurnOutput, Turn> {
  const { id: turnId, past, summary } = turn
  const kept = past.slice(past.length - keep)
  const uptoSequence = (kept[0]?.sequenceNumber ?? 1) - 1
  yield { type: 'turn:message', message: markerOf('trimmed', uptoSequence, summary) }
  yield { type: 'session:trimmed', turnId, uptoSequence }
  return { ...turn, past: kept }
}

async function* compacted(
  turn: Turn,
  keep: number,
  model: ModelPort,
  host: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const { id: turnId, past } = turn
  const left = past.slice(0, past.length - keep)
  const request = summaryRequest(left, turn.summary, model)
  const budget = budgetFor(model, request, host.costs(), host.limits)
  if (budget.kind === 'pause' || budget.kind === 'fail') return yield* trimmed(turn, keep)
  yield { type: 'session:compacting', turnId }
  const summary = await summarise(model, request, host.signal)
  if (host.signal.aborted) return { ...turn, failure: CANCELLED }
  if (summary.kind === 'failed') return yield* trimmed(turn, keep)
  const usage = addUsage(turn.usage, summary.usage)
  yield { type: 'turn:cost', cost: costOf(model, summary.usage), usage }
  const uptoSequence = lastNumberOf(left)
  const marker = markerOf('compacted', uptoSequence, summary.text)
  yield { type: 'turn:message', message: { ...marker, modelId: model.modelId } }
  yield { type: 'session:compacted', turnId, uptoSequence }
  return { ...turn, usage, past: past.slice(past.length - keep), summary: summary.text }
}

export const lastNumberOf = (messages: readonly PastMessage[]): number => messages.at(-1)?.sequenceNumber ?? 0

/** Stands, for the model, in place of all up to this number. */
export const markerOf = (
  kind: 'compacted' | 'trimmed',
  uptoSequence: number,
  summary: string | undefined,
): TurnMessage => ({
  role: 'system',
  content: summary === undefined ? [] : [{ type: 'text', text: summary }],
  marker: { kind, uptoSequence },
})

const tooLong = ({ modelId, contextWindow }: ModelPort): TurnError => ({
  code: 'validation',
  message: `The message is too long for ${modelId}, whose window has ${contextWindow} tokens. Shorten it, or fork the session with a model of a larger window.`,
  retryable: false,
})
