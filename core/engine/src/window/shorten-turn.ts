import type { TurnError, Usage } from '@parley/contracts'
import { addUsage, createStepCost } from '../budget/cost.ts'
import { decideRequestBudget } from '../budget/decide-budget.ts'
import {
  estimateOverheadTokens,
  estimateMessagesTokens,
  estimateTextTokens,
} from '../budget/estimate-tokens.ts'
import type { ContentPart, LlmMessage, ModelPort, ModelRequest } from '../ports/model.ts'
import { CANCELLED, type Turn, type TurnHost, type TurnMessage, type TurnOutput } from '../turn/turn.ts'
import { type WindowPlan, type PastMessage, planWindow } from './plan-window.ts'

/** How to shorten the turn's past before this model is called. */
export function planShortening(turn: Turn, model: ModelPort, host: TurnHost): WindowPlan {
  const { past, transcript } = turn
  const { contextWindow } = model
  const system = buildSystemPrompt(turn)
  const otherTokens =
    contextWindow === undefined
      ? 0
      : estimateOverheadTokens({ system, tools: host.tools.declarations }) +
        estimateMessagesTokens(transcript)
  const maxTokens = limitMaxTokens(model, host)
  return planWindow({ past, otherTokens, contextWindow, maxTokens }, host.limits)
}

/**
 * Shortens the turn's past to fit its model. Omitted messages stay in the store; a marker and an event record the
 * omission.
 */
export async function* shortenTurn(
  turn: Turn,
  plan: Exclude<WindowPlan, { kind: 'as-is' }>,
  model: ModelPort,
  host: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  switch (plan.kind) {
    case 'too-long':
      return { ...turn, failure: createTooLongError(model) }
    case 'trim':
      return yield* trimTurn(turn, plan.keep)
    case 'compact':
      return yield* compactTurn(turn, plan.keep, model, host)
    default:
      return plan satisfies never
  }
}

/** The share of a small window that an answer may use. */
const ANSWER_SHARE_OF_WINDOW = 0.25

/** The agent's output limit, reduced if the model's window would leave no room for a question. */
export const limitMaxTokens = (
  { contextWindow = Infinity }: Pick<ModelPort, 'contextWindow'>,
  { maxTokens }: Pick<TurnHost, 'maxTokens'>,
): number => Math.min(maxTokens, Math.floor(contextWindow * ANSWER_SHARE_OF_WINDOW))

/** The system prompt, with the summary of omitted messages. */
export const buildSystemPrompt = ({ system, summary }: Pick<Turn, 'system' | 'summary'>): string =>
  summary === undefined ? system : `${system}\n\nSummary of the conversation so far:\n${summary}`.trim()

async function* trimTurn(turn: Turn, keep: number): AsyncGenerator<TurnOutput, Turn> {
  const { id: turnId, past, summary } = turn
  const kept = past.slice(past.length - keep)
  const uptoSequence = (kept[0]?.sequenceNumber ?? 1) - 1
  yield { type: 'turn:message', message: createMarker('trimmed', uptoSequence, summary) }
  yield { type: 'session:trimmed', turnId, uptoSequence }
  return { ...turn, past: kept }
}

async function* compactTurn(
  turn: Turn,
  keep: number,
  model: ModelPort,
  host: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const { id: turnId, past } = turn
  const omitted = past.slice(0, past.length - keep)
  const request = createSummaryRequest(omitted, turn.summary, model)
  const budget = decideRequestBudget(model, request, host.costs(), host.limits)
  if (budget.kind === 'pause' || budget.kind === 'fail') return yield* trimTurn(turn, keep)
  yield { type: 'session:compacting', turnId }
  const summary = await requestSummary(model, request, host.signal)
  if (host.signal.aborted) return { ...turn, failure: CANCELLED }
  if (summary.kind === 'failed') return yield* trimTurn(turn, keep)
  const usage = addUsage(turn.usage, summary.usage)
  yield { type: 'turn:cost', cost: createStepCost(model, summary.usage), usage }
  const uptoSequence = getLastNumber(omitted)
  const marker = createMarker('compacted', uptoSequence, summary.text)
  yield { type: 'turn:message', message: { ...marker, modelId: model.modelId } }
  yield { type: 'session:compacted', turnId, uptoSequence }
  return { ...turn, usage, past: past.slice(past.length - keep), summary: summary.text }
}

export const getLastNumber = (messages: readonly PastMessage[]): number =>
  messages.at(-1)?.sequenceNumber ?? 0

/** Replaces, for the model, all messages up to this number. */
export const createMarker = (
  kind: 'compacted' | 'trimmed',
  uptoSequence: number,
  summary: string | undefined,
): TurnMessage => ({
  role: 'system',
  content: summary === undefined ? [] : [{ type: 'text', text: summary }],
  marker: { kind, uptoSequence },
})

const createTooLongError = ({ modelId, contextWindow }: ModelPort): TurnError => ({
  code: 'validation',
  message: `The message is too long for ${modelId}, whose window has ${contextWindow} tokens. Shorten it, or fork the session with a model that has a larger window.`,
  retryable: false,
})

const SUMMARY_TOKENS = 2_000

const SUMMARY_INSTRUCTION = `Summarise the conversation below for the assistant, who will continue it and sees nothing else of it. \
Keep decisions, facts, names, numbers, file paths, open questions and promises; leave out courtesies. \
Write plain sentences in the language of the conversation, at most 400 words.`

type SummaryResult =
  | { readonly kind: 'ok'; readonly text: string; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly error: TurnError }

/** The request for a summary of these messages, within the model's window. */
export function createSummaryRequest(
  messages: readonly LlmMessage[],
  earlier: string | undefined,
  { contextWindow }: Pick<ModelPort, 'contextWindow'>,
): ModelRequest {
  const lines = messages.map(formatMessage).filter((line) => line !== '')
  const start = earlier === undefined ? [] : [`Summary of what came before:\n${earlier}`]
  const room = (contextWindow ?? Infinity) - SUMMARY_TOKENS - estimateTextTokens(SUMMARY_INSTRUCTION) - 1_000
  while (lines.length > 1 && estimateTextTokens([...start, ...lines].join('\n\n')) > room) lines.shift()
  const text = [SUMMARY_INSTRUCTION, ...start, ...lines].join('\n\n')
  return {
    system: 'You summarise conversations.',
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
    maxTokens: SUMMARY_TOKENS,
  }
}

export async function requestSummary(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<SummaryResult> {
  let text = ''
  let usage: Usage | undefined
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'finish') usage = event.usage
    else if (event.type === 'failure') return { kind: 'failed', error: event.error }
  }
  if (text.trim() === '') return { kind: 'failed', error: NO_SUMMARY }
  const estimate = {
    inputTokens: estimateMessagesTokens(request.messages),
    outputTokens: estimateTextTokens(text),
  }
  return { kind: 'ok', text: text.trim(), usage: usage ?? estimate }
}

const NO_SUMMARY: TurnError = {
  code: 'provider_unavailable',
  message: 'The model returned no summary.',
  retryable: true,
}

const MAX_RESULT_LENGTH = 2_000

const SPEAKERS = { user: 'Person', assistant: 'Assistant', tool: 'Tool', system: 'Note' } as const

function formatMessage({ role, content, isNote }: LlmMessage): string {
  const text = content
    .map(formatPart)
    .filter((part) => part !== '')
    .join('\n')
  return text === '' ? '' : `${SPEAKERS[isNote ? 'system' : role]}: ${text}`
}

function formatPart(part: ContentPart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_call') return `(calls ${part.call.name} with ${JSON.stringify(part.call.input)})`
  if (part.type === 'tool_result') return part.outcome.text.slice(0, MAX_RESULT_LENGTH)
  return part.type === 'media' ? `(${part.mediaType} ${part.name ?? ''})` : ''
}
