import type { TurnError, Usage } from '@parley/contracts'
import { estimateMessagesTokens, estimateRequestTokens } from '../budget/estimate-tokens.ts'
import type { ContentPart, ModelPort, ModelRequest } from '../ports/model.ts'
import { CANCELLED, type SaidPart, type Step, type TurnHost } from './turn.ts'

type CallPart = Extract<ContentPart, { type: 'tool_call' }>

/** One model's result for one request. */
export interface StreamedStep {
  readonly said: readonly SaidPart[]
  readonly calls: readonly CallPart[]
  readonly usage: Usage
  readonly outOfTokens: boolean
  readonly failure?: TurnError
}

/** Sends a request to one model and streams its output. */
export async function streamStep(
  step: Step,
  model: ModelPort,
  request: ModelRequest,
  { say, signal, announce }: Pick<TurnHost, 'say' | 'signal' | 'announce'>,
): Promise<StreamedStep> {
  const said: SaidPart[] = []
  const calls: CallPart[] = []
  let pending: Promise<void> | undefined
  let usage: Usage | undefined
  let outOfTokens = false
  let failure: TurnError | undefined

  for await (const event of model.stream(request, signal)) {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        pending = say(step, findOrAddPart(event.type, said), event.text)
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
  else if (!failure && calls.length === 0 && !hasText({ said })) failure = NO_ANSWER
  const counted = usage && isPlausible(usage) ? usage : estimateUsage(request, { said, calls })
  return { said, calls, usage: counted, outOfTokens, ...(failure && { failure }) }
}

export const hasText = ({ said }: Pick<StreamedStep, 'said'>): boolean =>
  said.some(({ type, text }) => type === 'text' && text !== '')

const NO_ANSWER: TurnError = {
  code: 'provider_unavailable',
  message: 'The model ended without an answer.',
  retryable: true,
}

/** The last part if it has the same type, otherwise a new one: each run of text or reasoning is one part. */
function findOrAddPart(type: SaidPart['type'], said: SaidPart[]): SaidPart {
  const last = said.at(-1)
  if (last?.type === type && !last.proof) return last
  const part: SaidPart = { type, text: '' }
  said.push(part)
  return part
}

/** More than any model uses in one step: larger reports are not trusted. */
const MOST_TOKENS = 50_000_000

function isPlausible({
  inputTokens,
  outputTokens,
  cachedInputTokens = 0,
  cacheWriteTokens = 0,
}: Usage): boolean {
  const counts = [inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens]
  const areCounts = counts.every((count) => Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS)
  return areCounts && cachedInputTokens + cacheWriteTokens <= inputTokens
}

/** For a provider without usage, and for an interrupted step: nothing if there was no output. */
function estimateUsage(request: ModelRequest, { said, calls }: Pick<StreamedStep, 'said' | 'calls'>): Usage {
  if (said.length === 0 && calls.length === 0) return { inputTokens: 0, outputTokens: 0 }
  return {
    inputTokens: estimateRequestTokens(request),
    outputTokens: estimateMessagesTokens([{ content: said }, { content: calls }]),
  }
}
