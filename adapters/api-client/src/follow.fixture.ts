import type { SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import { onTestFinished } from 'vitest'
import {
  type ApiClient,
  applyEvent,
  type ConnectionState,
  createApiClient,
  openTranscript,
  type TranscriptTurn,
  listTurns,
} from './index.ts'
import { startFakeApi, createSteeredModel } from './testing/index.ts'

export type FakeApiOptions = Parameters<typeof startFakeApi>[0]

export const POLLING = { timeout: 30_000, interval: 5 }

const timing = { firstRetryMs: 5, longestRetryMs: 20 }

/** A server and its client, for the duration of a test. */
export async function open(given: Partial<FakeApiOptions> & { silenceMs?: number } = {}) {
  const model = createSteeredModel()
  const { silenceMs, ...options } = given
  const api = await startFakeApi({ model, ...options })
  onTestFinished(() => api.close())
  const client = createApiClient({
    baseUrl: api.url,
    token: api.token,
    timing: { ...timing, ...(silenceMs !== undefined && { silenceMs }) },
  })
  return { api, client, model }
}

/** Reads a session from its first event; `turns` returns the current turns. */
export function follow(client: ApiClient, sessionId: SessionId) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const events: SessionEvent[] = []
  const states: ConnectionState[] = []
  let transcript = openTranscript({ lastSequence: 0 }, [])
  const onConnection = (state: ConnectionState) => void states.push(state)
  const reading = (async () => {
    for await (const event of client.sessions.events({
      sessionId,
      after: 0,
      signal: leaving.signal,
      onConnection,
    })) {
      events.push(event)
      transcript = applyEvent(transcript, event)
    }
  })()
  return { events, states, reading, turns: () => listTurns(transcript), leave: () => leaving.abort() }
}

export const answerTexts = (turns: readonly TranscriptTurn[]) =>
  turns.map(({ parts }) => parts.map((part) => (part.kind === 'tool' ? '' : part.text)).join(''))

export const turnsOfMessages = (messages: readonly SessionMessage[]) =>
  listTurns(openTranscript({ lastSequence: 0 }, messages))

export const hasEnded = (turns: readonly TranscriptTurn[]) => turns.at(-1)?.state === 'completed'
