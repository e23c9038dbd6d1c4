import { createRunEventBus, createSessions, type ModelPort, noTools, type ToolRegistry } from '@parley/engine'
import { createMemoryStores, createTestIds } from '@parley/engine/testing'

export interface ProcessOptions {
  readonly model: ModelPort
  readonly tools?: ToolRegistry
}

export type FakeProcesses = ReturnType<typeof createProcesses>

/** Successive server processes on one store: when one dies, the next takes over. */
export function createProcesses({ model, tools = noTools }: ProcessOptions) {
  const stores = createMemoryStores()
  const begin = () => {
    const { store, die } = stores.open()
    const sessions = createSessions({
      store,
      eventBus: createRunEventBus(),
      clock: { now: () => Date.now() },
      ids: createTestIds(),
      getModel: () => model,
      getTools: () => tools,
    })
    return { store, sessions, die }
  }
  let current = begin()

  return {
    get store() {
      return current.store
    },
    get sessions() {
      return current.sessions
    },
    /** The killed process stores nothing more. */
    kill() {
      current.die()
      void current.sessions.cancelAll()
      current = begin()
    },
  }
}
