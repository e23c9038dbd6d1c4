import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelEvent, ModelRequest } from '@parley/engine'
import { type Failure, unavailable } from '../failure/failure.ts'
import { describeFailure } from '../failure/describe-failure.ts'
import { callOptions } from '../request/call-options.ts'
import type { Target } from '../vendors/vendor.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { createPartConverter, toUsage } from './part-events.ts'
import { type Patience, type Watchdog, startWatchdog } from './watchdog.ts'

export interface Attempt extends Target {
  readonly patience: Patience
  now(): number
}

export type AttemptEvent =
  | Exclude<ModelEvent, { type: 'failure' }>
  | { readonly type: 'failed'; readonly failure: Failure }

/** One request to one model. Ends with `finish` or `failed`, or with neither if the caller aborts. */
export async function* streamAttempt(
  attempt: Attempt,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent, void> {
  const limits = outputLimits(request)
  const watchdog = startWatchdog(patienceFor(request, attempt), limits.bytes, signal)
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  try {
    reader = (await untilAborted(open(attempt, request, watchdog), watchdog.signal)).getReader()
    const cancel = () => void reader?.cancel().catch(() => undefined)
    watchdog.signal.addEventListener('abort', cancel, { once: true })
    const toEvents = createPartConverter(attempt)
    let left = limits.characters

    for (;;) {
      const { done, value: part } = await reader.read()
      if (signal.aborted) return
      const ending = done ? brokenOff(attempt, watchdog) : toEnding(part, attempt, watchdog)
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
        yield { type: 'failed', failure: endless(attempt) }
        return
      }
    }
  } catch (thrown) {
    if (!signal.aborted) yield failed(thrown, attempt, watchdog)
  } finally {
    watchdog.stop()
  }
}

async function open(attempt: Attempt, request: ModelRequest, watchdog: Watchdog) {
  const { provider, modelId } = attempt
  const options = await callOptions(request, attempt)
  const model = await provider.vendor.languageModel.open(provider, modelId, guardedFetch(watchdog))
  const { stream } = await model.doStream({ ...options, abortSignal: watchdog.signal })
  return stream
}

/** Stops waiting when the signal aborts, even if the promise ignores the signal. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('aborted'))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/** The last event if this part ends the attempt. */
function toEnding(
  part: LanguageModelV4StreamPart,
  attempt: Attempt,
  watchdog: Watchdog,
): AttemptEvent | undefined {
  if (part.type === 'finish') return toFinish(part, attempt, watchdog)
  return part.type === 'error' ? failed(part.error, attempt, watchdog) : undefined
}

function toFinish({ finishReason, usage }: Finish, attempt: Attempt, watchdog: Watchdog): AttemptEvent {
  const used = toUsage(usage)
  const finish = (reason: 'completed' | 'max_tokens'): AttemptEvent => ({
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
      return { type: 'failed', failure: filtered(attempt) }
    case 'other':
      return finishReason.raw === undefined ? brokenOff(attempt, watchdog) : finish('completed')
    case 'error':
    case 'interrupted':
      return brokenOff(attempt, watchdog)
    default:
      return finishReason.unified satisfies never
  }
}

const failed = (thrown: unknown, attempt: Attempt, watchdog: Watchdog): AttemptEvent => ({
  type: 'failed',
  failure: watchdogFailure(watchdog, attempt) ?? describeFailure(thrown, { ...attempt, now: attempt.now() }),
})

const brokenOff = (attempt: Attempt, watchdog: Watchdog): AttemptEvent => ({
  type: 'failed',
  failure:
    watchdogFailure(watchdog, attempt) ??
    unavailable(`The answer of ${attempt.provider.name} broke off before its end; try again.`),
})

function watchdogFailure({ reason }: Watchdog, attempt: Attempt): Failure | undefined {
  if (reason === 'silent') return unavailable(`${attempt.provider.name} timed out; try again.`)
  return reason === 'endless' ? endless(attempt) : undefined
}

const filtered = ({ provider }: Attempt): Failure => ({
  error: {
    code: 'content_filter',
    message: `${provider.name} stopped the answer because of its content; rephrase the question.`,
    retryable: false,
  },
})

const FACTORS = { low: 1, medium: 3, high: 5 } as const

const endless = ({ provider, modelId }: Attempt): Failure =>
  unavailable(`${modelId} at ${provider.name} exceeded its output limit and was stopped.`, false)

/** More than an honest answer needs: a token has about four characters, and about a hundred bytes on the wire. */
function outputLimits({ maxTokens, reasoningEffort }: ModelRequest) {
  const tokens = maxTokens + (reasoningEffort ? 64_000 : 1_000)
  return { characters: tokens * 8, bytes: tokens * 2_048 + 4 * 1024 * 1024 }
}

/** A model may send nothing while it thinks. */
function patienceFor({ reasoningEffort }: ModelRequest, { patience, provider }: Attempt): Patience {
  const { firstByteMs, idleMs } = patience
  const factor = Math.max(
    FACTORS[reasoningEffort ?? 'low'],
    provider.vendor.languageModel.thinksSilently ? FACTORS.medium : 1,
  )
  return { firstByteMs: firstByteMs * factor, idleMs: idleMs * factor }
}
