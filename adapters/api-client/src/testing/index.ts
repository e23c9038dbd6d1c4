/** A stand-in for the server: the real engine behind the API's routes, with faults to order. */
export { type FakeApi, startFakeApi } from './fake-api.ts'
export { type SteeredModel, steeredModel } from './steered-model.ts'
