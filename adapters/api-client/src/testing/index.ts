/** A fake server: the real engine behind the API's routes, with injectable faults. */
export { type FakeApi, startFakeApi } from './fake-api.ts'
export { type SteeredModel, createSteeredModel } from './steered-model.ts'
