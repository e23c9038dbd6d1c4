import type { SessionEvent, SessionId } from '@parley/contracts'
import type { ModelEvent, ModelPort } from '../ports/model.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { noTools, type ToolRegistry } from '../ports/tools.ts'
import { createMemoryRelays } from '../testing/fakes.ts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { createRunEventBus } from './run-event-bus.ts'

/** Processes on one store, with a relay between them that delivers only on request. */
export function createTestCluster() {
  const stores = createMemoryStores()
  const relays = createMemoryRelays()
  const ends: ReturnType<typeof relays.open>[] = []

  const open = ({
    model = createSteeredModel(),
    tools = noTools,
    through = (store) => store,
  }: ReadOptions = {}) => {
    const process = stores.open()
    const end = relays.open()
    ends.push(end)
    const store = through(process.store)
    const eventBus = createRunEventBus({ otherProcesses: { relay: end.relay, store } })
    return {
      ...createTestSessions(model, { store, eventBus, tools }),
      ...end,
      die() {
        process.die()
        end.leave()
      },
    }
  }

  /** Delivers everything, replies included, until nothing is left. */
  const settle = async () => {
    do {
      for (const end of ends) end.deliver()
      await waitUntilQuiet()
    } while (ends.some((end) => end.waiting().length > 0))
  }
  return { open, settle }
}

/** A session in one process and its reader in another. */
export async function readInOtherProcess({ through }: Pick<ReadOptions, 'through'> = {}) {
  const { open, settle } = createTestCluster()
  const model = createSteeredModel()
  const [here, there] = [open({ model }), open(through && { through })]
  const { id } = await here.start()
  const reader = followSession(there, id)
  await settle()
  return { here, there, id, model, reader, settle }
}

interface ReadOptions {
  readonly model?: ModelPort
  readonly tools?: ToolRegistry
  readonly through?: (store: SessionStore) => SessionStore
}

/** Runs all pending microtasks and immediates. */
export async function waitUntilQuiet(): Promise<void> {
  for (let ticks = 0; ticks < 500; ticks += 1) await Promise.resolve()
}

/** Follows a session from `after` on; `events` holds the events received so far. */
export function followSession(
  { sessions }: Pick<ReturnType<typeof createTestSessions>, 'sessions'>,
  sessionId: SessionId,
  after = 0,
) {
  const abort = new AbortController()
  const events: SessionEvent[] = []
  const reading = (async () => {
    for await (const event of sessions.streamEvents({ sessionId, after, signal: abort.signal }))
      events.push(event)
  })()
  return {
    events,
    reading,
    leave: () => abort.abort(),
    types: () => events.map(({ type }) => type.slice(type.indexOf(':') + 1)),
    said: () => events.map((event) => (event.type === 'agent:token' ? event.token : '')).join(''),
  }
}

/** A model that a test makes speak, word by word. */
export function createSteeredModel() {
  const waiting: ModelEvent[] = []
  let wake: (() => void) | undefined
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const model: ModelPort = {
    provider: 'test',
    modelId: 'steered',
    async *stream(_, signal) {
      while (!signal.aborted) {
        const event = waiting.shift()
        if (event) yield event
        else await woken()
        if (event?.type === 'finish') return
      }
    },
  }
  const say = (...events: readonly ModelEvent[]) => {
    waiting.push(...events)
    wake?.()
  }
  return {
    ...model,
    say: (...words: readonly string[]) => say(...words.map((text) => ({ type: 'text' as const, text }))),
    finish: (...last: readonly ModelEvent[]) =>
      say(...last, { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } }),
  }
}

/** A store that, once slowed, returns events only after it is released. */
export function createSlowStore() {
  const gate = Promise.withResolvers<void>()
  let isSlow = false
  return {
    through: (store: SessionStore): SessionStore => ({
      ...store,
      async readEvents(sessionId, range) {
        const events = await store.readEvents(sessionId, range)
        if (isSlow) await gate.promise
        return events
      },
    }),
    slowDown: () => {
      isSlow = true
    },
    letGo: () => {
      isSlow = false
      gate.resolve()
    },
  }
}
