import { createRunEventBus, createSessions, type ModelPort, noTools, type ToolRegistry } from '@parley/engine'
import { memoryStores, testIds } from '@parley/engine/testing'

export interface ProcessOptions {
  readonly model: ModelPort
  readonly tools?: ToolRegistry
}

export type FakeProcesses = ReturnType<typeof createProcesses>

/** Processes that serve one after another on the same store: where one dies, the next takes its place. */
export function createProcesses({ model, tools = noTools }: ProcessOptions) {
  const stores = memoryStores()
  const begin = () => {
    const { store, die } = stores.open()
    const sessions = createSessions({
      store,
      hub: createRunEventBus(),
      clock: { now: () => Date.now() },
      ids: testIds(),
      modelOf: () => model,
      toolsOf: () => tools,
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
    /** Nothing that the process was at is stored any more. */
    kill() {
      current.die()
      void current.sessions.cancelAll()
      current = begin()
    },
  }
}
