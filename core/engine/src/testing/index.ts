/** Fakes of the engine's ports, and the suites that all adapters must pass. */
export { type ModelScript, createAnswerScript, createFakeTools, createScriptedModel } from './fakes.ts'
export {
  AT,
  type StoreUnderTest,
  createBatch,
  createStoredEvent,
  ids,
  createTestSession,
  createNewTurn,
  testAgent,
  createTestIds,
  testOwner,
} from './fixtures.ts'
export { createMemorySessionStore, createMemoryStores } from '../memory/memory-session-store.ts'
export { createTestSessions } from './test-sessions.ts'
export { describeSessionStore } from './session-store.conformance.ts'
