import type { TurnError, Usage } from '@parley/contracts'
import type { LlmPart } from '../ports/model.ts'
import {
  CANCELLED,
  type SaidPart,
  type Turn,
  type TurnHost,
  type TurnMessage,
  type TurnOutput,
} from './turn.ts'

/** One step: what the model says is told as it comes, and yielded as one message. */
export async function* askModel(turn: Turn, host: TurnHost): AsyncGenerator<TurnOutput, Turn> {
  const { model, signal, say } = host
  const { modelId } = model
  const step = { turnId: turn.id, stepId: host.nextStepId(), model: modelId }
  const said: SaidPart[] = []
  const calls: CallPart[] = []
  let waiting: Promise<void> | undefined
  let ending: StepEnding = { usage: NOTHING_USED, outOfTokens: false }

  for await (const event of model.stream(requestOf(turn, host), signal)) {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        waiting = say(step, partFor(event.type, said), event.text)
        break
      case 'tool_call':
        calls.push({ type: 'tool_call', call: event.call, ...(event.proof && { proof: event.proof }) })
        break
      case 'proof': {
        const last = said.pop()
        if (last) said.push({ ...last, proof: event.proof })
        break
      }
      case 'finish':
        ending = { usage: event.usage ?? NOTHING_USED, outOfTokens: event.reason === 'max_tokens' }
        break
      case 'failure':
        ending = { ...ending, failure: event.error }
        break
      default:
        event satisfies never
    }
    if (waiting) await waiting
    if (signal.aborted) break
  }
  if (signal.aborted) ending = { ...ending, failure: CANCELLED }

  const message = messageOf(said, calls, modelId, ending)
  if (message) yield { type: 'turn:message', message }
  return {
    ...turn,
    transcript: message ? [...turn.transcript, message] : turn.transcript,
    steps: turn.steps + 1,
    usage: sum(turn.usage, ending.usage),
    outOfTokens: ending.outOfTokens,
    ...failureOf(ending, message),
  }
}

type CallPart = Extract<LlmPart, { type: 'tool_call' }>

interface StepEnding {
  readonly usage: Usage
  readonly outOfTokens: boolean
  readonly failure?: TurnError
}

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0 }

const SILENT = {
  code: 'provider_unavailable',
  message: 'The model ended without an answer.',
  retryable: true,
} as const

function requestOf(turn: Turn, { tools, maxTokens, temperature }: TurnHost) {
  const messages = turn.transcript.length === 0 ? turn.past : [...turn.past, ...turn.transcript]
  return {
    system: turn.system,
    messages,
    tools: tools.declarations,
    maxTokens,
    ...(temperature !== undefined && { temperature }),
  }
}

/** The last part if it is of the same type, else a new one, so that a step's parts are its runs of text and reasoning. */
function partFor(type: SaidPart['type'], said: SaidPart[]): SaidPart {
  const last = said.at(-1)
  if (last?.type === type && !last.proof) return last
  const part: SaidPart = { type, text: '' }
  said.push(part)
  return part
}

/** A call of a failed step never ran and never will, so only what was said is kept. */
function messageOf(
  said: readonly SaidPart[],
  calls: readonly CallPart[],
  modelId: string,
  { failure }: StepEnding,
): TurnMessage | undefined {
  const content = failure ? said : [...said, ...calls]
  if (content.length === 0) return undefined
  const cutShort = failure && (failure.code === 'cancelled' ? 'cancelled' : 'failed')
  return { role: 'assistant', content, modelId, ...(cutShort && { cutShort }) }
}

function failureOf({ failure }: StepEnding, message: TurnMessage | undefined): Pick<Turn, 'failure'> {
  if (failure) return { failure }
  return message ? {} : { failure: SILENT }
}

const sum = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})
