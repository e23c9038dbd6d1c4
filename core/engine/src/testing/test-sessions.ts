import type { SessionEvent, SessionId } from '@parley/contracts'
import { createRunEventBus, type RunEventBus } from '../events/run-event-bus.ts'
import type { ModelPort } from '../ports/model.ts'
import { noTools, type ToolRegistry } from '../ports/tools.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { createSessions } from '../session/sessions.ts'
import type { NewSession } from '../session/requests.ts'
import type { SessionsHost } from '../session/sessions-host.ts'
import { testAgent, createTestIds, testOwner } from './fixtures.ts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'

/** Sessions on a given model, with fakes for everything else. */
export function createTestSessions(
  model: ModelPort,
  {
    store = createMemorySessionStore(),
    eventBus = createRunEventBus(),
    tools = noTools,
    getTools = () => tools,
    limits = {},
    fallbacks = {},
    secrets,
  }: TestSessionsOptions = {},
) {
  const sessions = createSessions({
    store,
    eventBus,
    clock: Date,
    ids: createTestIds(),
    getModel: (agent) => fallbacks[agent.model] ?? model,
    getTools,
    ...(secrets && { secrets }),
    limits,
  })
  const start = (given: Partial<NewSession> = {}) =>
    sessions.start({
      ownerId: testOwner,
      channel: 'text',
      agent: testAgent,
      context: { workingDir: '/home/ada/notes', fsScopeTier: 'sandboxed', variables: { name: 'Ada' } },
      ...given,
    })
  /** The events after `after`, up to the first match. */
  const eventsUntil = async (
    sessionId: SessionId,
    after: number,
    wanted: (event: SessionEvent) => boolean,
  ) => {
    const abort = new AbortController()
    const seen: SessionEvent[] = []
    for await (const event of sessions.streamEvents({ sessionId, after, signal: abort.signal })) {
      seen.push(event)
      if (wanted(event)) break
    }
    return seen
  }
  return { sessions, store, eventBus, start, eventsUntil }
}

interface TestSessionsOptions {
  readonly store?: SessionStore
  readonly eventBus?: RunEventBus
  readonly tools?: ToolRegistry
  readonly getTools?: SessionsHost['getTools']
  readonly limits?: NonNullable<SessionsHost['limits']>
  readonly secrets?: NonNullable<SessionsHost['secrets']>
  /** Fallback models by id. */
  readonly fallbacks?: Readonly<Record<string, ModelPort>>
}
