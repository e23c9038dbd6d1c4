import type { TurnError, Usage } from '@parley/contracts'
import { tokensOfFrame, tokensOfMessages, tokensOfText } from '../budget/estimate-tokens.ts'
import type { LlmPart, ModelPort, ModelRequest } from '../ports/model.ts'
import { CANCELLED, type SaidPart, type Step, type TurnHost } from './turn.ts'

type CallPart = Extract<LlmPart, { type: 'tool_call' }>

/** What one model made of one request. */
export interface StreamedStep {
  readonly said: readonly SaidPart[]
  readonly calls: readonly CallPart[]
  readonly usage: Usage
  readonly outOfTokens: boolean
  readonly failure?: TurnError
}

/** Asks one model; what it says is told as it comes. */
export async function streamStep(
  step: Step,
  model: ModelPort,
  request: ModelRequest,
  { say, signal }: Pick<TurnHost, 'say' | 'signal'>,
): Promise<StreamedStep> {
  const said: SaidPart[] = []
  const calls: CallPart[] = []
  let waiting: Promise<void> | undefined
  let usage: Usage | undefined
  let outOfTokens = false
  let failure: TurnError | undefined

  for await (const event of model.stream(request, signal)) {
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
        usage = event.usage
        outOfTokens = event.reason === 'max_tokens'
        break
      case 'failure':
        failure = event.error
        break
      default:
        event satisfies never
    }
    if (waiting) await waiting
    if (signal.aborted) break
  }
  if (signal.aborted) failure = CANCELLED
  else if (!failure && said.length === 0 && calls.length === 0) failure = SILENT
  const counted = usage ?? estimateOf(request, said)
  return { said, calls, usage: counted, outOfTokens, ...(failure && { failure }) }
}

const SILENT: TurnError = {
  code: 'provider_unavailable',
  message: 'The model ended without an answer.',
  retryable: true,
}

/** The last part if it is of the same type, else a new one, so that a step's parts are its runs of text and reasoning. */
function partFor(type: SaidPart['type'], said: SaidPart[]): SaidPart {
  const last = said.at(-1)
  if (last?.type === type && !last.proof) return last
  const part: SaidPart = { type, text: '' }
  said.push(part)
  return part
}

/** For a provider that does not say, and for a step that broke off: nothing where nothing was said. */
function estimateOf(request: ModelRequest, said: readonly SaidPart[]): Usage {
  if (said.length === 0) return { inputTokens: 0, outputTokens: 0 }
  return {
    inputTokens: tokensOfFrame(request) + tokensOfMessages(request.messages),
    outputTokens: said.reduce((sum, { text }) => sum + tokensOfText(text), 0),
  }
}
