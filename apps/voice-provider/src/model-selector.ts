import type { ModelPort } from '@parley/engine'
import { createProviders, createOfflineModel, type ProviderSettings } from '@parley/llm'
import { PlatformError, PROVIDER_KINDS, ProviderKind } from '@parley/contracts'
import type { AgentDocument } from './agents/agent-document.ts'

interface ModelSelectorHost {
  /** Providers with a configured key. */
  readonly providers: readonly ProviderSettings[]
  readonly readSecret: (secretId: string) => Promise<string | undefined>
}

/** Selects the agent's model if its provider is configured, else the offline model. */
export function createModelSelector({ providers, readSecret }: ModelSelectorHost) {
  const known = createProviders(providers)
  return async ({ conversation_config }: AgentDocument): Promise<ModelPort> => {
    const { llm, custom_llm } = conversation_config.agent.prompt
    try {
      if (llm === 'custom-llm' && custom_llm) {
        const secretId =
          custom_llm.api_key && 'secret_id' in custom_llm.api_key ? custom_llm.api_key.secret_id : undefined
        const apiKey = typeof secretId === 'string' ? await readSecret(secretId) : undefined
        const custom = { name: 'custom', kind: 'openai-compatible', baseUrl: custom_llm.url } as const
        return createProviders([{ ...custom, ...(apiKey !== undefined && { apiKey }) }]).openModel(
          'custom',
          custom_llm.model_id ?? 'custom',
        )
      }
      const kind = findKind(llm)
      const provider = providers.find((candidate) => candidate.kind === kind && candidate.apiKey)
      return provider ? known.openModel(provider.name, toProviderModelName(llm)) : createOfflineModel()
    } catch (failure) {
      if (failure instanceof PlatformError && failure.code === 'config_invalid') return createOfflineModel()
      throw failure
    }
  }
}

const findKind = (llm: string): ProviderKind | undefined =>
  ProviderKind.options.find((kind) => {
    const { modelPrefix } = PROVIDER_KINDS[kind]
    return modelPrefix !== undefined && llm.startsWith(modelPrefix)
  })

/** ElevenLabs writes a model's date after an @, the providers after a dash. */
const toProviderModelName = (llm: string): string => llm.replace('@', '-')
