/** Fakes of the engine's ports, and the suites that fakes and real adapters both pass. */
export { fakeTools } from './fake-tools.ts'
export { newSession, testAgent, testIds, testOwner } from './fixtures.ts'
export { memorySessionStore, memoryStores } from '../memory/memory-session-store.ts'
export { answering, type Script, scriptedModel } from './scripted-model.ts'
export { testSessions } from './test-sessions.ts'
export { describeSessionStore } from './session-store.conformance.ts'
export { batch, event, type StoreUnderTest } from './store-fixtures.ts'
