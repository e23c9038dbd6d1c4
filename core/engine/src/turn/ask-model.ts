import { type CallId, findJsonProblems, type TurnError, type Usage } from '@parley/contracts'
import { addUsage, createStepCost, sumCosts } from '../budget/cost.ts'
import { decideRequestBudget } from '../budget/decide-budget.ts'
import { countStepUsage } from '../budget/estimate-tokens.ts'
import { formatProblems } from '../context/agent-input.ts'
import { limitMaxTokens, planShortening, shortenTurn, buildSystemPrompt } from '../window/shorten-turn.ts'
import type { ContentPart, LlmMessage, ModelPort, ModelRequest } from '../ports/model.ts'
import {
  CANCELLED,
  type StepRef,
  type StreamedPart,
  type Turn,
  type TurnHost,
  type TurnMessage,
  type TurnOutput,
  removeResumption,
} from './turn.ts'

/** The call that a person decides on when the budget is used up. */
export const BUDGET_CALL = 'budget' as CallId

/**
 * One step, sent to the agent's models in order until one answers. Once a model has produced text, there is no
 * fallback for the step.
 */
export async function* askModel(turn: Turn, host: TurnHost): AsyncGenerator<TurnOutput, Turn> {
  let current = turn
  for (const [index, model] of host.models.entries()) {
    current = removeFailure(current)
    const plan = planShortening(current, model, host)
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
    if (current.failure || current.waitingCallId !== undefined) return current

    const step = { turnId: turn.id, stepId: host.nextStepId(), model: model.modelId }
    const streamed = await streamStep(step, model, request, host)
    current = { ...current, usage: addUsage(current.usage, streamed.usage) }
    if (streamed.failure && !isLast && canFallBack(streamed)) {
      const lostCost = toCostOutput(streamed, model, current)
      if (lostCost) yield lostCost
      if (streamed.parts.length > 0)
        yield { type: 'agent:step_discarded', turnId: turn.id, stepId: step.stepId }
      continue
    }
    const invalid = findInvalidAnswer(streamed, host)
    if (invalid && !current.invalidAnswer) {
      const lostCost = toCostOutput(streamed, model, current)
      if (lostCost) yield lostCost
      yield { type: 'agent:step_discarded', turnId: turn.id, stepId: step.stepId }
      return { ...current, steps: current.steps + 1, invalidAnswer: invalid }
    }
    const final = invalid ? { ...streamed, failure: createInvalidAnswerError(invalid.problems) } : streamed
    const message = createMessage(final, model.modelId, request)
    if (message) yield { type: 'turn:message', message }
    const cost = toCostOutput(streamed, model, current)
    if (cost) yield cost
    return completeStep(current, final, message)
  }
  return current
}

type CallPart = Extract<ContentPart, { type: 'tool_call' }>

/** One model's result for one request. */
interface StreamedStep {
  readonly parts: readonly StreamedPart[]
  readonly calls: readonly CallPart[]
  readonly usage: Usage
  readonly outOfTokens: boolean
  readonly failure?: TurnError
}

/** Sends a request to one model and streams its output. */
async function streamStep(
  step: StepRef,
  model: ModelPort,
  request: ModelRequest,
  { streamText, signal, announce }: Pick<TurnHost, 'streamText' | 'signal' | 'announce'>,
): Promise<StreamedStep> {
  const parts: StreamedPart[] = []
  const calls: CallPart[] = []
  let pending: Promise<void> | undefined
  let reported: Usage | undefined
  let outOfTokens = false
  let failure: TurnError | undefined

  for await (const event of model.stream(request, signal)) {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        pending = streamText(step, findOrAddPart(event.type, parts), event.text)
        break
      case 'tool_call':
        calls.push({
          type: 'tool_call',
          call: event.call,
          ...(event.signature && { signature: event.signature }),
        })
        break
      case 'signature': {
        const last = parts.pop()
        if (last) parts.push({ ...last, signature: event.signature })
        break
      }
      case 'finish':
        reported = event.usage
        outOfTokens = event.reason === 'max_tokens'
        break
      case 'retry': {
        const { error, waitMs } = event
        pending = announce?.({ type: 'agent:retry_scheduled', ...step, error, waitMs })
        break
      }
      case 'failure':
        failure = event.error
        break
      default:
        event satisfies never
    }
    if (pending) await pending
    if (signal.aborted) break
  }
  if (signal.aborted) failure = CANCELLED
  else if (!failure && calls.length === 0 && !hasText({ parts })) failure = NO_ANSWER
  const usage = countStepUsage(reported, request, { parts, calls })
  return { parts, calls, usage, outOfTokens, ...(failure && { failure }) }
}

const hasText = ({ parts }: Pick<StreamedStep, 'parts'>): boolean =>
  parts.some(({ type, text }) => type === 'text' && text !== '')

const NO_ANSWER: TurnError = {
  code: 'provider_unavailable',
  message: 'The model ended without an answer.',
  retryable: true,
}

/** The last part if it has the same type, otherwise a new one: each run of text or reasoning is one part. */
function findOrAddPart(type: StreamedPart['type'], parts: StreamedPart[]): StreamedPart {
  const last = parts.at(-1)
  if (last?.type === type && !last.signature) return last
  const part: StreamedPart = { type, text: '' }
  parts.push(part)
  return part
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
  const answered = resumption?.kind === 'budget-decided' ? resumption.decision : undefined
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
      if (answered === 'allow') return removeResumption(turn)
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
      return { ...turn, waitingCallId: BUDGET_CALL }
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
function findInvalidAnswer(
  { parts, calls, failure }: StreamedStep,
  { outputSchema }: TurnHost,
): Turn['invalidAnswer'] {
  if (!outputSchema || failure || calls.length > 0) return undefined
  const answer = parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')
  const problems = describeProblems(answer, outputSchema)
  return problems === '' ? undefined : { answer, problems }
}

function describeProblems(answer: string, schema: NonNullable<TurnHost['outputSchema']>): string {
  try {
    return formatProblems(findJsonProblems(JSON.parse(answer), schema))
  } catch {
    return 'it is not JSON'
  }
}

const createInvalidAnswerError = (problems: string): TurnError => ({
  code: 'validation',
  message: `The answer does not fit the output_schema of the agent, and neither did the one before: ${problems}.`,
  retryable: true,
})

/** Failures of one provider or model, such as a bad key, an unknown name, a too small window. */
const FALLS_BACK: ReadonlySet<TurnError['code']> = new Set([
  'provider_auth',
  'provider_rate_limit',
  'provider_unavailable',
  'validation',
])

const canFallBack = (streamed: StreamedStep): boolean =>
  streamed.failure !== undefined && FALLS_BACK.has(streamed.failure.code) && !hasText(streamed)

function removeFailure(turn: Turn): Turn {
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
    messages: turn.invalidAnswer ? [...messages, ...createSchemaRetryMessages(turn.invalidAnswer)] : messages,
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
const createSchemaRetryMessages = ({
  answer,
  problems,
}: NonNullable<Turn['invalidAnswer']>): readonly LlmMessage[] => [
  { role: 'assistant', content: [{ type: 'text', text: answer }] },
  {
    role: 'user',
    content: [
      {
        type: 'text',
        text: `This answer does not fit the JSON Schema: ${problems}. Answer again, with JSON alone.`,
      },
    ],
  },
]

/** A call of a failed step never runs, so only its text is kept. */
function createMessage(
  { parts, calls, failure }: StreamedStep,
  modelId: string,
  { tools }: Pick<ModelRequest, 'tools'>,
): TurnMessage | undefined {
  const content = failure ? parts : [...parts, ...calls]
  if (content.length === 0) return undefined
  const cancelled = tools.length === 0 ? 'cancelled' : 'unfinished'
  const cutShort = failure && (failure.code === 'cancelled' ? cancelled : 'failed')
  return { role: 'assistant', content, modelId, ...(cutShort && { cutShort }) }
}
