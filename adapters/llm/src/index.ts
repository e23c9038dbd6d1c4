/** Models behind the engine's `ModelPort`. */
export { offlineAgent, offlineModel } from './offline/offline-model.ts'
