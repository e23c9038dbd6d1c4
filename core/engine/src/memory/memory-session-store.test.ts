import { createMemoryStores } from './memory-session-store.ts'
import { describeSessionStore } from '../testing/session-store.conformance.ts'

describeSessionStore('memory', async () => {
  const processes = createMemoryStores()
  return {
    store: processes.open().store,
    other: processes.open().store,
    doomed: async () => processes.open(),
  }
})
