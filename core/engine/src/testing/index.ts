/** Fakes of the engine's ports, and the suites that all adapters must pass. */
export { type Script, answering, fakeTools, scriptedModel } from './fakes.ts'
export {
  AT,
  type StoreUnderTest,
  batch,
  event,
  ids,
  newSession,
  opening,
  testAgent,
  testIds,
  testOwner,
} from './fixtures.ts'
export { createMemorySessionStore, memoryStores } from '../memory/memory-session-store.ts'
export { testSessions } from './test-sessions.ts'
export { describeSessionStore } from './session-store.conformance.ts'
