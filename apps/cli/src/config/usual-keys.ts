import type { ProviderKind } from '@parley/contracts'

/** The variable in which a provider's key usually is. */
export const USUAL_KEYS: Readonly<Record<ProviderKind, string | undefined>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  'openai-compatible': undefined,
}
