import { type CallId, findJsonFlaws, type TurnError } from '@parley/contracts'
import { addUsage, createStepCost, sumCosts } from '../budget/cost.ts'
import { decideRequestBudget } from '../budget/decide-budget.ts'
import { formatFlaws } from '../context/agent-input.ts'
import { limitMaxTokens, planTurn, shortenTurn, buildSystemPrompt } from '../context/shorten-turn.ts'
import type { LlmMessage, ModelPort, ModelRequest } from '../ports/model.ts'
import { hasText, type StreamedStep, streamStep } from './stream-step.ts'
import { type Turn, type TurnHost, type TurnMessage, type TurnOutput, withoutResumption } from './turn.ts'

/** The call that a person decides on when the budget is used up. */
export const BUDGET_CALL = 'budget' as CallId

/**
 * One step, sent to the agent's models in order until one answers. Once a model has produced text, there is no
 * fallback for the step.
 */
export async function* askModel(turn: Turn, host: TurnHost): AsyncGenerator<TurnOutput, Turn> {
  let current = turn
  for (const [index, model] of host.models.entries()) {
    current = withoutFailure(current)
    const plan = planTurn(current, model, host)
    // Even an empty generator costs event loop ticks, so it is entered only if needed.
    if (plan.kind !== 'as-is') current = yield* shortenTurn(current, plan, model, host)
    const isLast = index === host.models.length - 1
    if (current.failure) {
      if (isLast) return current
      continue
    }
    const request = createRequest(current, model, host)
    if (host.limits.maxCostMicrocents !== undefined)
      current = yield* checkBudget(current, model, request, host)
    if (current.failure || current.waitsFor !== undefined) return current

    const step = { turnId: turn.id, stepId: host.nextStepId(), model: model.modelId }
    const streamed = await streamStep(step, model, request, host)
    current = { ...current, usage: addUsage(current.usage, streamed.usage) }
    if (streamed.failure && !isLast && mayFallBack(streamed)) {
      const lostCost = toCostOutput(streamed, model, current)
      if (lostCost) yield lostCost
      if (streamed.said.length > 0)
        yield { type: 'agent:step_discarded', turnId: turn.id, stepId: step.stepId }
      continue
    }
    const misfit = findMisfit(streamed, host)
    if (misfit && !current.misfit) {
      const lostCost = toCostOutput(streamed, model, current)
      if (lostCost) yield lostCost
      yield { type: 'agent:step_discarded', turnId: turn.id, stepId: step.stepId }
      return { ...current, steps: current.steps + 1, misfit }
    }
    const final = misfit ? { ...streamed, failure: createMisfitError(misfit.flaws) } : streamed
    const message = createMessage(final, model.modelId, request)
    if (message) yield { type: 'turn:message', message }
    const cost = toCostOutput(streamed, model, current)
    if (cost) yield cost
    return completeStep(current, final, message)
  }
  return current
}

function completeStep(turn: Turn, streamed: StreamedStep, message: TurnMessage | undefined): Turn {
  const { outOfTokens, failure } = streamed
  return {
    ...turn,
    transcript: message ? [...turn.transcript, message] : turn.transcript,
    steps: turn.steps + 1,
    outOfTokens,
    ...(failure && { failure }),
  }
}

function toCostOutput(
  { usage }: StreamedStep,
  model: ModelPort,
  turn: Turn,
): Extract<TurnOutput, { type: 'turn:cost' }> | undefined {
  if (usage.inputTokens + usage.outputTokens === 0) return undefined
  return { type: 'turn:cost', cost: createStepCost(model, usage), usage: turn.usage }
}

/** Stops, or asks a person, before a step that would exceed the budget. */
async function* checkBudget(
  turn: Turn,
  model: ModelPort,
  request: ModelRequest,
  { limits, costs }: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const spentMicrocents = sumCosts(costs())
  const decision = decideRequestBudget(model, request, costs(), limits)
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
      if (answered === 'allow') return withoutResumption(turn)
      if (answered === 'refuse') return { ...turn, failure: createBudgetRefusal(decision.reason) }
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

const createBudgetRefusal = (reason: string): TurnError => ({
  code: 'budget_exceeded',
  message: reason,
  retryable: false,
})

/** Why a final answer does not fit the agent's `output_schema`; undefined if it fits or there is no schema. */
function findMisfit({ said, calls, failure }: StreamedStep, { outputSchema }: TurnHost): Turn['misfit'] {
  if (!outputSchema || failure || calls.length > 0) return undefined
  const answer = said.map(({ type, text }) => (type === 'text' ? text : '')).join('')
  const flaws = describeFlaws(answer, outputSchema)
  return flaws === '' ? undefined : { answer, flaws }
}

function describeFlaws(answer: string, schema: NonNullable<TurnHost['outputSchema']>): string {
  try {
    return formatFlaws(findJsonFlaws(JSON.parse(answer), schema))
  } catch {
    return 'it is not JSON'
  }
}

const createMisfitError = (flaws: string): TurnError => ({
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

function withoutFailure(turn: Turn): Turn {
  if (!turn.failure) return turn
  const { failure: _, ...rest } = turn
  return rest
}

function createRequest(turn: Turn, model: ModelPort, host: TurnHost): ModelRequest {
  const { tools, temperature, reasoningEffort, conversation, readMedia, outputSchema } = host
  const messages = turn.transcript.length === 0 ? turn.past : [...turn.past, ...turn.transcript]
  return {
    system: outputSchema
      ? `${buildSystemPrompt(turn)}\n\n${SCHEMA_INSTRUCTION}\n${JSON.stringify(outputSchema)}`.trim()
      : buildSystemPrompt(turn),
    messages: turn.misfit ? [...messages, ...createRepairMessages(turn.misfit)] : messages,
    tools: tools.declarations,
    ...(outputSchema && { outputSchema }),
    maxTokens: limitMaxTokens(model, host),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(conversation && { conversation }),
    ...(readMedia && { readMedia }),
  }
}

const SCHEMA_INSTRUCTION =
  'Answer with one JSON value and nothing else: no other words, no code fence. It must fit this JSON Schema:'

/** Shows the model its invalid answer; never stored. */
const createRepairMessages = ({ answer, flaws }: NonNullable<Turn['misfit']>): readonly LlmMessage[] => [
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
function createMessage(
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
