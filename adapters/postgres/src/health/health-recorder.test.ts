import type { ModelEvent, ModelPort } from '@parley/engine'
import { expect, test } from 'vitest'
import { watchModel } from './health-recorder.ts'

const error = {
  code: 'provider_unavailable',
  message: 'acme returned an error (500).',
  retryable: true,
} as const
const retry: ModelEvent = { type: 'retry', error, waitMs: 500 }
const failure: ModelEvent = { type: 'failure', error }

/** The records of a request that changes the end of the pause. */
async function recordEvents(
  events: readonly ModelEvent[],
  [before, after]: readonly [number?, number?] = [],
) {
  const kinds: string[] = []
  let until = before
  const model: ModelPort = {
    provider: 'acme',
    modelId: 'one',
    async *stream() {
      until = after
      yield* events
    },
  }
  const watched = watchModel(model, {
    health: { time: () => {}, recordProviderOutcome: (_, { kind }) => kinds.push(kind) },
    coolsUntil: () => until,
    mask: (text) => text,
  })
  const request = { system: '', messages: [], tools: [], maxTokens: 1 }
  for await (const _ of watched.stream(request, new AbortController().signal));
  return kinds
}

test('a retry does not count as success of the provider', async () => {
  expect(await recordEvents([retry, failure])).toEqual(['failed'])
  expect(await recordEvents([retry, { type: 'text', text: 'Yes.' }])).toEqual(['worked'])
})

test('a paused model is recorded as failed again only after a new request', async () => {
  expect(await recordEvents([failure], [1_000, 1_000])).toEqual([])
  expect(await recordEvents([retry, failure], [1_000, 2_000])).toEqual(['failed'])
})
