import type { ConfiguredProvider } from './providers-of.ts'

/** Whether a provider has what it needs to be asked. */
export function providerState({ apiKey, apiKeyName }: ConfiguredProvider): string {
  if (apiKeyName === undefined) return 'no key needed'
  return apiKey === undefined ? `${apiKeyName} missing` : `${apiKeyName} set`
}

export const isUsable = ({ apiKey, apiKeyName }: ConfiguredProvider): boolean =>
  apiKeyName === undefined || apiKey !== undefined
