import type { McpServerConfig, ProviderConfig } from '@parley/contracts'
import { USUAL_KEYS } from './usual-keys.ts'

export function describeProvider(
  name: string,
  { kind, base_url, api_key_env, models }: ProviderConfig,
): string {
  const key = api_key_env ?? USUAL_KEYS[kind]
  return [
    `provider "${name}" (${kind}) ${base_url === undefined ? 'at its usual address' : `at ${base_url}`}`,
    key === undefined ? 'without a key' : `with the key in ${key}`,
    ...(models ? [`with limits and prices of its own for ${Object.keys(models).join(', ')}`] : []),
  ].join(', ')
}

export const describeMcpServer = (name: string, { command, args = [], url }: McpServerConfig): string =>
  `MCP server "${name}": ${url === undefined ? `runs ${[command, ...args].join(' ')}` : `at ${url}`}`
