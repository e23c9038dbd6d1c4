import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openLocalHistory } from '../compose.ts'
import type { Environment } from '../environment.ts'
import type { MergedConfig } from './merge-config.ts'

type SecretUsers = Pick<MergedConfig, 'http_headers' | 'mcp_servers' | 'web_search' | 'sources'>

/** Secrets that the config uses but that are not set, each with the command to set it. */
export async function listSecretNotices(
  settings: SecretUsers,
  environment: Environment,
): Promise<readonly string[]> {
  const named = findNamedSecrets(settings)
  if (named.length === 0) return []
  const saved = await readSavedNames(environment)
  return named
    .filter(({ name }) => !saved.includes(name))
    .map(
      ({ name, key, source }) =>
        `${source === undefined ? '' : `${source}: `}${key} uses the secret ${name}, which is not set. Set it with: parley keys set ${name}`,
    )
}

function findNamedSecrets({ http_headers, mcp_servers, web_search, sources }: SecretUsers) {
  const settings: readonly (readonly [key: string, values: Values])[] = [
    ...Object.entries(http_headers).map(([host, headers]) => [`http_headers.${host}`, headers] as const),
    ...Object.entries(mcp_servers).map(
      ([name, { env, headers }]) => [`mcp_servers.${name}`, { ...env, ...headers }] as const,
    ),
    ['web_search', web_search?.headers ?? {}],
  ]
  return settings.flatMap(([key, values]) =>
    findNames(values).map((name) => ({ name, key, source: sources[key] })),
  )
}

type Values = Readonly<Record<string, string>>

const findNames = (values: Values): readonly string[] => [
  ...new Set(
    Object.values(values)
      .flatMap((value) => [...value.matchAll(REFERENCE)])
      .map(([, name = '']) => name),
  ),
]

const REFERENCE = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

/** Does not create a history: a missing one has no secrets. */
async function readSavedNames(environment: Environment): Promise<readonly string[]> {
  if (!(await stat(join(environment.home, 'history.db')).catch(() => undefined))) return []
  const history = await openLocalHistory(environment, () => undefined)
  try {
    return history.secrets
      .list()
      .filter(({ isRetired }) => !isRetired)
      .map(({ name }) => name)
  } finally {
    history.close()
  }
}
