import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelEvent, ModelRequest } from '@parley/engine'
import { type Failure, unavailable } from '../failure/failure.ts'
import { describeFailure } from '../failure/describe-failure.ts'
import { callOptions } from '../request/call-options.ts'
import type { Target } from '../vendors/vendor.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { partEvents, usageOf } from './part-events.ts'
import { type Patience, type Watchdog, watchdog } from './watchdog.ts'

export interface Attempt extends Target {
  readonly patience: Patience
  now(): number
}

export type AttemptEvent =
  | Exclude<ModelEvent, { type: 'failure' }>
  | { readonly type: 'failed'; readonly failure: Failure }

/** One request to one model. Ends with `finish` or `failed`, or without either where the caller aborts. */
export async function* streamAttempt(
  attempt: Attempt,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent, void> {
  const room = roomFor(request)
  const dog = watchdog(patienceFor(request, attempt), room.bytes, signal)
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  try {
    reader = (await unlessAborted(open(attempt, request, dog), dog.signal)).getReader()
    const cancel = () => void reader?.cancel().catch(() => undefined)
    dog.signal.addEventListener('abort', cancel, { once: true })
    const eventsOf = partEvents(attempt)
    let left = room.characters

    for (;;) {
      const { done, value: part } = await reader.read()
      if (signal.aborted) return
      const ending = done ? brokenOff(attempt, dog) : endingOf(part, attempt, dog)
      if (done || ending) {
        if (ending) yield ending
        return
      }
      if (part.type === 'tool-input-delta') left -= part.delta.length
      dog.rest()
      for (const event of eventsOf(part)) {
        if (event.type === 'text' || event.type === 'reasoning') left -= event.text.length
        yield event
      }
      dog.wake()
      if (left < 0) {
        yield { type: 'failed', failure: endless(attempt) }
        return
      }
    }
  } catch (thrown) {
    if (!signal.aborted) yield failed(thrown, attempt, dog)
  } finally {
    dog.stop()
  }
}

async function open(attempt: Attempt, request: ModelRequest, dog: Watchdog) {
  const { provider, modelId } = attempt
  const options = await callOptions(request, attempt)
  const model = await provider.vendor.languageModel.open(provider, modelId, guardedFetch(dog))
  const { stream } = await model.doStream({ ...options, abortSignal: dog.signal })
  return stream
}

/** Does not wait for a promise that does not listen to the signal. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('aborted'))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/** What ends the attempt; undefined for a part after which it goes on. */
function endingOf(
  part: LanguageModelV4StreamPart,
  attempt: Attempt,
  dog: Watchdog,
): AttemptEvent | undefined {
  if (part.type === 'finish') return finishOf(part, attempt, dog)
  return part.type === 'error' ? failed(part.error, attempt, dog) : undefined
}

function finishOf({ finishReason, usage }: Finish, attempt: Attempt, dog: Watchdog): AttemptEvent {
  const used = usageOf(usage)
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
      return finishReason.raw === undefined ? brokenOff(attempt, dog) : finish('completed')
    case 'error':
    case 'interrupted':
      return brokenOff(attempt, dog)
    default:
      return finishReason.unified satisfies never
  }
}

const failed = (thrown: unknown, attempt: Attempt, dog: Watchdog): AttemptEvent => ({
  type: 'failed',
  failure: verdictOf(dog, attempt) ?? describeFailure(thrown, { ...attempt, now: attempt.now() }),
})

const brokenOff = (attempt: Attempt, dog: Watchdog): AttemptEvent => ({
  type: 'failed',
  failure:
    verdictOf(dog, attempt) ??
    unavailable(`The answer of ${attempt.provider.name} broke off before its end; ask again.`),
})

function verdictOf({ verdict }: Watchdog, attempt: Attempt): Failure | undefined {
  if (verdict === 'silent') return unavailable(`${attempt.provider.name} timed out; ask again.`)
  return verdict === 'endless' ? endless(attempt) : undefined
}

const filtered = ({ provider }: Attempt): Failure => ({
  error: {
    code: 'content_filter',
    message: `${provider.name} stopped the answer for its content; put the question another way.`,
    retryable: false,
  },
})

const FACTORS = { low: 1, medium: 3, high: 5 } as const

const endless = ({ provider, modelId }: Attempt): Failure =>
  unavailable(`${modelId} at ${provider.name} exceeded its output limit and was stopped.`, false)

/** More than any honest answer takes: a token is some four characters, and some hundred bytes on the wire. */
function roomFor({ maxTokens, reasoningEffort }: ModelRequest) {
  const tokens = maxTokens + (reasoningEffort ? 64_000 : 1_000)
  return { characters: tokens * 8, bytes: tokens * 2_048 + 4 * 1024 * 1024 }
}

/** A model that thinks long may send nothing while it does. */
function patienceFor({ reasoningEffort }: ModelRequest, { patience, provider }: Attempt): Patience {
  const { firstByteMs, idleMs } = patience
  const factor = Math.max(
    FACTORS[reasoningEffort ?? 'low'],
    provider.vendor.languageModel.thinksSilently ? FACTORS.medium : 1,
  )
  return { firstByteMs: firstByteMs * factor, idleMs: idleMs * factor }
}
