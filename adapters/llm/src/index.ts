/** Models behind the engine's `ModelPort`. */
export type { EmbeddingModel } from './embed/create-embedder.ts'
export type { ListedModel } from './models/model-page.ts'
export { offlineAgent, offlineModel } from './offline/offline-model.ts'
export { createProviders, type Providers, type ProvidersHost, type ProviderTest } from './providers.ts'
export type { ModelFacts, ProviderKind, ProviderSettings } from './settings.ts'
