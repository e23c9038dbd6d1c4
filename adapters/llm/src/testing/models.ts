import type { ProviderKind } from '@parley/contracts'

/** A model of each vendor; one that can think if the vendor has any. */
export const MODELS: Record<ProviderKind, string> = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
  google: 'gemini-2.5-flash',
  'openai-compatible': 'llama3.2',
}

export const KINDS = Object.keys(MODELS) as ProviderKind[]
