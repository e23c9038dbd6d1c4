import type { ModelPort } from '@parley/engine'
import { createProviders, offlineModel, type ProviderSettings } from '@parley/llm'
import { PlatformError } from '@parley/contracts'
import type { AgentDocument } from './agents/agent-document.ts'

interface ModelSelectorHost {
  /** Providers with a configured key. */
  readonly providers: readonly ProviderSettings[]
  readonly secretValue: (secretId: string) => Promise<string | undefined>
}

/** Provider by the start of the model's name. */
const KINDS: readonly (readonly [beginning: string, kind: ProviderSettings['kind']])[] = [
  ['gpt-', 'openai'],
  ['claude-', 'anthropic'],
  ['gemini-', 'google'],
]

/** Selects the agent's model if its provider is configured, else the offline model. */
export function createModelSelector({ providers, secretValue }: ModelSelectorHost) {
  const known = createProviders(providers)
  return async ({ conversation_config }: AgentDocument): Promise<ModelPort> => {
    const { llm, custom_llm } = conversation_config.agent.prompt
    try {
      if (llm === 'custom-llm' && custom_llm) {
        const secretId =
          custom_llm.api_key && 'secret_id' in custom_llm.api_key ? custom_llm.api_key.secret_id : undefined
        const apiKey = typeof secretId === 'string' ? await secretValue(secretId) : undefined
        const custom = { name: 'custom', kind: 'openai-compatible', baseUrl: custom_llm.url } as const
        return createProviders([{ ...custom, ...(apiKey !== undefined && { apiKey }) }]).openModel(
          'custom',
          custom_llm.model_id ?? 'custom',
        )
      }
      const kind = KINDS.find(([beginning]) => llm.startsWith(beginning))?.[1]
      const provider = providers.find((candidate) => candidate.kind === kind && candidate.apiKey)
      return provider ? known.openModel(provider.name, toProviderModelName(llm)) : offlineModel()
    } catch (failure) {
      if (failure instanceof PlatformError && failure.code === 'config_invalid') return offlineModel()
      throw failure
    }
  }
}

/** ElevenLabs writes a model's date after an @, the providers after a dash. */
const toProviderModelName = (llm: string): string => llm.replace('@', '-')
