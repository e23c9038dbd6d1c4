import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { loadSettings } from '../config/load-settings.ts'
import { secretNotices } from '../config/named-secrets.ts'
import type { Config } from '../config.ts'
import { type Finding, ok, warning } from './check.ts'

/** What tools need of this machine: programs, and secrets that the config names. Starts nothing. */
export async function toolsCheck(config: Config): Promise<Finding> {
  const settings = await loadSettings(config, { workingDir: process.cwd() }).catch(() => undefined)
  if (!settings) return warning('not known, since the config cannot be read', 'Mend the config first.')
  const hasGit = await isProgram('git', config)
  const servers = await Promise.all(
    Object.entries(settings.mcp_servers).map(async ([name, { command, url }]) => ({
      name,
      command,
      found: command === undefined ? `at ${url}` : await whether(command, config),
    })),
  )
  // Why a history cannot be read is told where it is looked at itself.
  const secrets = await secretNotices(settings, config).catch(() => [])
  const found = [
    `git ${hasGit ? 'found' : 'not found'}`,
    ...servers.map((server) => `MCP server ${server.name} (${server.found})`),
  ].join(', ')
  const missing = servers.filter((server) => server.found.endsWith(NOT_FOUND))
  const mends = [
    ...(hasGit ? [] : ['Install git, for git_status and git_commit.']),
    ...missing.map(
      ({ name, command }) => `Install ${command}, or write its whole path in mcp_servers.${name}.`,
    ),
    ...secrets,
  ]
  return mends.length === 0 ? ok(found) : warning(found, mends.join('\n'))
}

const NOT_FOUND = 'not found'

const whether = async (command: string, config: Config): Promise<string> =>
  `${command} ${(await isProgram(command, config)) ? 'found' : NOT_FOUND}`

async function isProgram(command: string, { environment }: Config): Promise<boolean> {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  const candidates = command.includes('/')
    ? [resolve(command)]
    : folders.map((folder) => join(folder, command))
  const found = await Promise.all(candidates.map(isExecutable))
  return found.includes(true)
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
