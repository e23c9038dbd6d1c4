import { memorySessionStore } from './memory-session-store.ts'
import { describeSessionStore } from './session-store.conformance.ts'

describeSessionStore('memory', async () => {
  const store = memorySessionStore()
  return { store, other: store }
})
