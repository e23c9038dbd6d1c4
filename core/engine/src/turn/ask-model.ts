import { type CallId, jsonFlaws, type TurnError } from '@parley/contracts'
import { addUsage, costOf, totalOf } from '../budget/cost.ts'
import { budgetFor } from '../budget/decide-budget.ts'
import { flawsInWords } from '../context/agent-input.ts'
import { maxTokensOf, planTurn, shortenTurn, systemOf } from '../context/shorten-turn.ts'
import type { LlmMessage, ModelPort, ModelRequest } from '../ports/model.ts'
import { hasText, type StreamedStep, streamStep } from './stream-step.ts'
import type { Turn, TurnHost, TurnMessage, TurnOutput } from './turn.ts'

/** The call that a person decides on when the budget is used up. */
export const BUDGET_CALL = 'budget' as CallId

/**
 * One step, sent to the agent's models in order until one answers. Once a model has produced text, there is no
 * fallback for the step.
 */
export async function* askModel(turn: Turn, host: TurnHost): AsyncGenerator<TurnOutput, Turn> {
  let asked = turn
  for (const [place, model] of host.models.entries()) {
    asked = withoutFailure(asked)
    const plan = planTurn(asked, model, host)
    // Even an empty generator costs event loop ticks, so it is entered only if needed.
    if (plan.kind !== 'as-is') asked = yield* shortenTurn(asked, plan, model, host)
    const isLast = place === host.models.length - 1
    if (asked.failure) {
      if (isLast) return asked
      continue
    }
    const request = requestOf(asked, model, host)
    if (host.limits.maxCostMicrocents !== undefined) asked = yield* withinBudget(asked, model, request, host)
    if (asked.failure || asked.waitsFor !== undefined) return asked

    const step = { turnId: turn.id, stepId: host.nextStepId(), model: model.modelId }
    const streamed = await streamStep(step, model, request, host)
    asked = { ...asked, usage: addUsage(asked.usage, streamed.usage) }
    if (streamed.failure && !isLast && mayFallBack(streamed)) {
      const lost = costIn(streamed, model, asked)
      if (lost) yield lost
      if (streamed.said.length > 0)
        yield { type: 'agent:step_discarded', turnId: turn.id, stepId: step.stepId }
      continue
    }
    const misfit = misfitOf(streamed, host)
    if (misfit && !asked.misfit) {
      const lost = costIn(streamed, model, asked)
      if (lost) yield lost
      yield { type: 'agent:step_discarded', turnId: turn.id, stepId: step.stepId }
      return { ...asked, steps: asked.steps + 1, misfit }
    }
    const ended = misfit ? { ...streamed, failure: doesNotFit(misfit.flaws) } : streamed
    const message = messageOf(ended, model.modelId, request)
    if (message) yield { type: 'turn:message', message }
    const cost = costIn(streamed, model, asked)
    if (cost) yield cost
    return after(asked, ended, message)
  }
  return asked
}

function after(turn: Turn, streamed: StreamedStep, message: TurnMessage | undefined): Turn {
  const { outOfTokens, failure } = streamed
  return {
    ...turn,
    transcript: message ? [...turn.transcript, message] : turn.transcript,
    steps: turn.steps + 1,
    outOfTokens,
    ...(failure && { failure }),
  }
}

function costIn(
  { usage }: StreamedStep,
  model: ModelPort,
  turn: Turn,
): Extract<TurnOutput, { type: 'turn:cost' }> | undefined {
  if (usage.inputTokens + usage.outputTokens === 0) return undefined
  return { type: 'turn:cost', cost: costOf(model, usage), usage: turn.usage }
}

/** Stops, or asks a person, before a step that would exceed the budget. */
async function* withinBudget(
  turn: Turn,
  model: ModelPort,
  request: ModelRequest,
  { limits, costs }: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const spentMicrocents = totalOf(costs())
  const decision = budgetFor(model, request, costs(), limits)
  const { id: turnId, resumption } = turn
  const answered = resumption?.kind === 'paid-for' ? resumption.decision : undefined
  switch (decision.kind) {
    case 'go':
      return turn
    case 'fail':
      return { ...turn, failure: decision.error }
    case 'warn':
      if (!turn.isWarned)
        yield {
          type: 'budget:warning',
          turnId,
          totalMicrocents: spentMicrocents,
          maxMicrocents: decision.maxMicrocents,
        }
      return { ...turn, isWarned: true }
    case 'pause': {
      // The approval covers only the next step; the one after it asks again.
      if (answered === 'allow') return withoutDecision(turn)
      if (answered === 'refuse') return { ...turn, failure: refused(decision.reason) }
      yield {
        type: 'budget:paused',
        turnId,
        totalMicrocents: spentMicrocents,
        maxMicrocents: decision.maxMicrocents,
      }
      yield {
        type: 'agent:approval_requested',
        turnId,
        callId: BUDGET_CALL,
        tool: 'spend',
        target: decision.reason,
        usage: turn.usage,
      }
      return { ...turn, waitsFor: BUDGET_CALL }
    }
    default:
      return decision satisfies never
  }
}

const refused = (reason: string): TurnError => ({
  code: 'budget_exceeded',
  message: reason,
  retryable: false,
})

/** Why a final answer does not fit the agent's `output_schema`; undefined if it fits or there is no schema. */
function misfitOf({ said, calls, failure }: StreamedStep, { outputSchema }: TurnHost): Turn['misfit'] {
  if (!outputSchema || failure || calls.length > 0) return undefined
  const answer = said.map(({ type, text }) => (type === 'text' ? text : '')).join('')
  const flaws = flawsIn(answer, outputSchema)
  return flaws === '' ? undefined : { answer, flaws }
}

function flawsIn(answer: string, schema: NonNullable<TurnHost['outputSchema']>): string {
  try {
    return flawsInWords(jsonFlaws(JSON.parse(answer), schema))
  } catch {
    return 'it is not JSON'
  }
}

const doesNotFit = (flaws: string): TurnError => ({
  code: 'validation',
  message: `The answer does not fit the output_schema of the agent, and neither did the one before: ${flaws}.`,
  retryable: true,
})

/** Failures of one provider or model, such as a bad key, an unknown name, a too small window. */
const FALLS_BACK: ReadonlySet<TurnError['code']> = new Set([
  'provider_auth',
  'provider_rate_limit',
  'provider_unavailable',
  'validation',
])

const mayFallBack = (streamed: StreamedStep): boolean =>
  streamed.failure !== undefined && FALLS_BACK.has(streamed.failure.code) && !hasText(streamed)

function withoutDecision(turn: Turn): Turn {
  const { resumption: _, ...going } = turn
  return going
}

function withoutFailure(turn: Turn): Turn {
  if (!turn.failure) return turn
  const { failure: _, ...going } = turn
  return going
}

function requestOf(turn: Turn, model: ModelPort, host: TurnHost): ModelRequest {
  const { tools, temperature, reasoningEffort, conversation, readMedia, outputSchema } = host
  const messages = turn.transcript.length === 0 ? turn.past : [...turn.past, ...turn.transcript]
  return {
    system: outputSchema
      ? `${systemOf(turn)}\n\n${FITTING}\n${JSON.stringify(outputSchema)}`.trim()
      : systemOf(turn),
    messages: turn.misfit ? [...messages, ...repairOf(turn.misfit)] : messages,
    tools: tools.declarations,
    ...(outputSchema && { outputSchema }),
    maxTokens: maxTokensOf(model, host),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(conversation && { conversation }),
    ...(readMedia && { readMedia }),
  }
}

const FITTING =
  'Answer with one JSON value and nothing else: no other words, no code fence. It must fit this JSON Schema:'

/** Shows the model its invalid answer; never stored. */
const repairOf = ({ answer, flaws }: NonNullable<Turn['misfit']>): readonly LlmMessage[] => [
  { role: 'assistant', content: [{ type: 'text', text: answer }] },
  {
    role: 'user',
    content: [
      {
        type: 'text',
        text: `This answer does not fit the JSON Schema: ${flaws}. Answer again, with JSON alone.`,
      },
    ],
  },
]

/** A call of a failed step never runs, so only its text is kept. */
function messageOf(
  { said, calls, failure }: StreamedStep,
  modelId: string,
  { tools }: Pick<ModelRequest, 'tools'>,
): TurnMessage | undefined {
  const content = failure ? said : [...said, ...calls]
  if (content.length === 0) return undefined
  const cancelled = tools.length === 0 ? 'cancelled' : 'unfinished'
  const cutShort = failure && (failure.code === 'cancelled' ? cancelled : 'failed')
  return { role: 'assistant', content, modelId, ...(cutShort && { cutShort }) }
}
