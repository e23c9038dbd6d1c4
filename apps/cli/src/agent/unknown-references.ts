import { join } from 'node:path'
import { type Agent, PROVIDER_KINDS, ProviderKind, findNearest } from '@parley/contracts'
import type { Environment } from '../environment.ts'
import { type ConfiguredProvider, isUsable, listProviders } from '../config/configured-providers.ts'
import { OWN_FILE, type Settings, loadSettings } from '../config/load-settings.ts'
import { type MergedConfig, splitModel } from '../config/merge-config.ts'

interface KnownNames extends Pick<MergedConfig, 'mcp_servers'> {
  readonly providers: readonly ConfiguredProvider[]
  readonly ownFile: string
}

export async function readKnownNames(
  environment: Environment,
): Promise<KnownNames & { readonly settings: Settings }> {
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  const { mcp_servers } = settings
  const ownFile = join(environment.home, OWN_FILE)
  return { settings, mcp_servers, ownFile, providers: listProviders(settings, environment) }
}

export interface ReferenceProblem {
  /** `no_key`: the name is known, but its key is not set. */
  readonly kind: 'unknown' | 'no_key'
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The providers, models and MCP servers that an agent names but that do not exist. */
export function findUnknownReferences(agent: Agent, known: KnownNames): readonly ReferenceProblem[] {
  const chain = agent.fallback_chain ?? []
  return [
    ...findModelProblems(agent, [], known),
    ...chain.flatMap((fallback, index) => findModelProblems(fallback, ['fallback_chain', index], known)),
    ...findMcpServerProblems(agent, known),
  ]
}

/** Checks a model in the config, such as `default_model`. */
export const findModelReferenceProblems = (
  reference: string,
  known: Pick<KnownNames, 'providers'>,
): readonly ReferenceProblem[] => findModelProblems(splitModel(reference), [], known)

function findModelProblems(
  { provider, model }: Pick<Agent, 'provider' | 'model'>,
  path: ReferenceProblem['path'],
  { providers }: Pick<KnownNames, 'providers'>,
): readonly ReferenceProblem[] {
  const configured = providers.find(({ name }) => name === provider)
  const key = configured ? configured.apiKeyName : findDefaultKeyVariable(provider)
  if (configured?.kind === 'offline' && model !== 'offline') {
    const message = `the provider offline has no model "${model}"; its only model is "offline"`
    return [{ kind: 'unknown', path: [...path, 'model'], message }]
  }
  if (configured && isUsable(configured)) return []
  const at = [...path, 'provider']
  if (key !== undefined)
    return [{ kind: 'no_key', path: at, message: `the provider "${provider}" has no key: set ${key}` }]
  const names = [...new Set([...providers.map(({ name }) => name), ...VENDOR_NAMES])]
  const hint = suggestName(provider, names)
  const message = `there is no provider "${provider}";${hint} \`parley providers add ${provider}\` adds it`
  return [{ kind: 'unknown', path: at, message }]
}

const VENDOR_NAMES = ProviderKind.options.filter((kind) => PROVIDER_KINDS[kind].keyVariable !== undefined)

/** The key variable of a vendor that needs no config entry. */
const findDefaultKeyVariable = (provider: string): string | undefined => {
  const kind = ProviderKind.safeParse(provider)
  return kind.success ? PROVIDER_KINDS[kind.data].keyVariable : undefined
}

function suggestName(given: string, names: readonly string[]): string {
  const name = findNearest(given, names)
  return name === undefined ? '' : ` did you mean "${name}"?`
}

export function findMcpServerProblems(
  { mcp_servers: named = [] }: Agent,
  { mcp_servers, ownFile }: Pick<KnownNames, 'mcp_servers' | 'ownFile'>,
): readonly ReferenceProblem[] {
  return named.flatMap((server, index): readonly ReferenceProblem[] => {
    if (typeof server !== 'string' || Object.hasOwn(mcp_servers, server)) return []
    const hint = suggestName(server, Object.keys(mcp_servers))
    const message = `there is no MCP server "${server}";${hint} add [mcp_servers.${server}] to ${ownFile}, with a command or a url`
    return [{ kind: 'unknown', path: ['mcp_servers', index], message }]
  })
}
