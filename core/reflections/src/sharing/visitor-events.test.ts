import type { SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toVisitorEvents } from './visitor-events.ts'

const ended = (code: 'provider_auth' | 'budget_exceeded', message: string) =>
  ({
    type: 'session:turn_completed',
    turnId: 'trn_1',
    stopReason: 'error',
    error: { code, message, retryable: false },
    usage: { inputTokens: 0, outputTokens: 0 },
    sequenceNumber: 3,
  }) as unknown as SessionEvent

async function* given(...events: readonly SessionEvent[]): AsyncGenerator<SessionEvent> {
  yield* events
}

test('[V17] a visitor sees that a provider failed, but neither its host nor its settings', async () => {
  const failure = ended('provider_auth', 'api.example.com refused the key: check EXAMPLE_API_KEY.')
  const budget = ended('budget_exceeded', 'This session may cost no more.')
  const shown: SessionEvent[] = []
  for await (const event of toVisitorEvents(given(failure, budget))) shown.push(event)
  expect(shown).toMatchObject([
    { type: 'session:turn_completed', error: { code: 'provider_auth' } },
    { error: { message: 'This session may cost no more.' } },
  ])
  expect(JSON.stringify(shown)).not.toMatch(/example/i)
})
