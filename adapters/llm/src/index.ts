/** Models behind the engine's `ModelPort`. */
export type { EmbeddingModel } from './embed/create-embedding-model.ts'
export { offlineAgent, createOfflineModel } from './offline/offline-model.ts'
export {
  createProviders,
  openAgentModel,
  type Providers,
  type ProvidersHost,
  type ProviderTest,
} from './providers.ts'
export type { ProviderSettings } from './settings.ts'
export type { ListedModel, ModelFacts } from './vendors/vendor.ts'
