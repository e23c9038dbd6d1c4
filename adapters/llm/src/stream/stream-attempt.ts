import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type ModelEvent, type ModelRequest, waitUnlessAborted } from '@parley/engine'
import { type ProviderFailure, createUnavailableFailure } from '../failure/provider-failure.ts'
import { toProviderFailure } from '../failure/to-provider-failure.ts'
import { toCallOptions } from '../request/to-call-options.ts'
import type { ModelTarget } from '../vendors/vendor.ts'
import { type Patience, type Watchdog, startWatchdog, createWatchedFetch } from './watched-fetch.ts'
import { createPartConverter, toUsage } from './part-events.ts'

export interface ModelAttempt extends ModelTarget {
  readonly patience: Patience
  now(): number
}

export type ModelAttemptEvent =
  | Exclude<ModelEvent, { type: 'failure' }>
  | { readonly type: 'attempt_failed'; readonly failure: ProviderFailure }

/** One request to one model. Ends with `finish` or `attempt_failed`, or with neither if the caller aborts. */
export async function* streamAttempt(
  attempt: ModelAttempt,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelAttemptEvent, void> {
  const limits = computeOutputLimits(request)
  const watchdog = startWatchdog(extendPatience(request, attempt), limits.bytes, signal)
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  try {
    reader = (await waitUnlessAborted(openStream(attempt, request, watchdog), watchdog.signal)).getReader()
    const cancel = () => void reader?.cancel().catch(() => undefined)
    watchdog.signal.addEventListener('abort', cancel, { once: true })
    const toEvents = createPartConverter(attempt)
    let left = limits.characters

    for (;;) {
      const { done, value: part } = await reader.read()
      if (signal.aborted) return
      const ending = done ? createEndedEarlyEvent(attempt, watchdog) : toLastEvent(part, attempt, watchdog)
      if (done || ending) {
        if (ending) yield ending
        return
      }
      if (part.type === 'tool-input-delta') left -= part.delta.length
      watchdog.pause()
      for (const event of toEvents(part)) {
        if (event.type === 'text' || event.type === 'reasoning') left -= event.text.length
        yield event
      }
      watchdog.resume()
      if (left < 0) {
        yield { type: 'attempt_failed', failure: createEndlessFailure(attempt) }
        return
      }
    }
  } catch (thrown) {
    if (!signal.aborted) yield toFailedEvent(thrown, attempt, watchdog)
  } finally {
    watchdog.stop()
  }
}

async function openStream(attempt: ModelAttempt, request: ModelRequest, watchdog: Watchdog) {
  const { provider, modelId } = attempt
  const options = await toCallOptions(request, attempt)
  const model = await provider.vendor.languageModel.open(provider, modelId, createWatchedFetch(watchdog))
  const { stream } = await model.doStream({ ...options, abortSignal: watchdog.signal })
  return stream
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/** The last event if this part ends the attempt. */
function toLastEvent(
  part: LanguageModelV4StreamPart,
  attempt: ModelAttempt,
  watchdog: Watchdog,
): ModelAttemptEvent | undefined {
  if (part.type === 'finish') return toFinishEvent(part, attempt, watchdog)
  return part.type === 'error' ? toFailedEvent(part.error, attempt, watchdog) : undefined
}

function toFinishEvent(
  { finishReason, usage }: Finish,
  attempt: ModelAttempt,
  watchdog: Watchdog,
): ModelAttemptEvent {
  const used = toUsage(usage)
  const finish = (reason: 'completed' | 'max_tokens'): ModelAttemptEvent => ({
    type: 'finish',
    reason,
    ...(used && { usage: used }),
  })
  switch (finishReason.unified) {
    case 'stop':
    case 'tool-calls':
      return finish('completed')
    case 'length':
      return finish('max_tokens')
    case 'content-filter':
      return { type: 'attempt_failed', failure: createFilteredFailure(attempt) }
    case 'other':
      return finishReason.raw === undefined ? createEndedEarlyEvent(attempt, watchdog) : finish('completed')
    case 'error':
    case 'interrupted':
      return createEndedEarlyEvent(attempt, watchdog)
    default:
      return finishReason.unified satisfies never
  }
}

const toFailedEvent = (thrown: unknown, attempt: ModelAttempt, watchdog: Watchdog): ModelAttemptEvent => ({
  type: 'attempt_failed',
  failure:
    createWatchdogFailure(watchdog, attempt) ?? toProviderFailure(thrown, { ...attempt, now: attempt.now() }),
})

const createEndedEarlyEvent = (attempt: ModelAttempt, watchdog: Watchdog): ModelAttemptEvent => ({
  type: 'attempt_failed',
  failure:
    createWatchdogFailure(watchdog, attempt) ??
    createUnavailableFailure(`The answer of ${attempt.provider.name} ended early; try again.`),
})

function createWatchdogFailure({ reason }: Watchdog, attempt: ModelAttempt): ProviderFailure | undefined {
  if (reason === 'silent') return createUnavailableFailure(`${attempt.provider.name} timed out; try again.`)
  return reason === 'endless' ? createEndlessFailure(attempt) : undefined
}

const createFilteredFailure = ({ provider }: ModelAttempt): ProviderFailure => ({
  error: {
    code: 'content_filter',
    message: `${provider.name} stopped the answer because of its content; rephrase the question.`,
    retryable: false,
  },
})

const PATIENCE_FACTORS = { low: 1, medium: 3, high: 5 } as const

const createEndlessFailure = ({ provider, modelId }: ModelAttempt): ProviderFailure =>
  createUnavailableFailure(`${modelId} at ${provider.name} exceeded its output limit and was stopped.`, false)

/** More than an honest answer needs: a token has about four characters, and about a hundred bytes on the wire. */
function computeOutputLimits({ maxTokens, reasoningEffort }: ModelRequest) {
  const tokens = maxTokens + (reasoningEffort ? 64_000 : 1_000)
  return { characters: tokens * 8, bytes: tokens * 2_048 + 4 * 1024 * 1024 }
}

/** A model may send nothing while it thinks. */
function extendPatience({ reasoningEffort }: ModelRequest, { patience, provider }: ModelAttempt): Patience {
  const { firstByteMs, idleMs } = patience
  const factor = Math.max(
    PATIENCE_FACTORS[reasoningEffort ?? 'low'],
    provider.vendor.languageModel.thinksSilently ? PATIENCE_FACTORS.medium : 1,
  )
  return { firstByteMs: firstByteMs * factor, idleMs: idleMs * factor }
}
