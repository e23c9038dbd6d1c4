import {
  type McpServerConfig,
  PROVIDER_KINDS,
  type ProviderConfig,
  type WebSearchConfig,
} from '@parley/contracts'

export function describeProvider(
  name: string,
  { kind, base_url, api_key_env, models }: ProviderConfig,
): string {
  const key = api_key_env ?? PROVIDER_KINDS[kind].keyVariable
  return [
    `provider "${name}" (${kind}) ${base_url === undefined ? 'at its usual address' : `at ${base_url}`}`,
    key === undefined ? 'without a key' : `with the key in ${key}`,
    ...(models ? [`with limits and prices of its own for ${Object.keys(models).join(', ')}`] : []),
  ].join(', ')
}

/** Values that go along are shown as they are written: secrets stand in them by name only. */
export function describeMcpServer(
  name: string,
  { command, args = [], env = {}, url, headers = {}, tools }: McpServerConfig,
): string {
  const line = [command ?? '', ...args].map((word) =>
    /^[\w./@:=-]+$/.test(word) ? word : JSON.stringify(word),
  )
  const where = url === undefined ? `runs ${line.join(' ')}` : `at ${url}`
  return [
    `MCP server "${name}": ${where}`,
    ...given(env).map((one) => `with ${one}`),
    ...given(headers).map((one) => `sends ${one}`),
    ...(tools ? [`only the tools ${tools.join(', ')}`] : []),
  ].join(', ')
}

export const describeHeaders = (host: string, headers: Readonly<Record<string, string>>): string =>
  `each request to ${host} sends ${given(headers).join(', ')}`

export const describeSearch = ({ kind, url, headers = {} }: WebSearchConfig): string =>
  [`the web is searched at ${url} (${kind})`, ...given(headers).map((one) => `sends ${one}`)].join(', ')

const given = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}: ${value}`)
