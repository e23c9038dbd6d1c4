import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { computeSha256 } from '../compute-sha256.ts'
import { listAgentNeeds, listAgentFiles, listAgents, refuseOutsideLink } from '../agent/find-agent.ts'
import type { Environment } from '../environment.ts'
import { OWN_FILE, readProjectFiles } from '../config/load-settings.ts'
import { mergeConfigLayers } from '../config/merge-config.ts'
import { readConfigFile } from '../config/read-config-file.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { renderColumns } from '../render/columns.ts'
import { toJsonLine, formatLocalTime, printMessage } from '../render/output.ts'
import { readDisplay } from '../render/display.ts'
import { toSingleLine } from '../render/text.ts'
import {
  type FileIdentity,
  type TrustedFile,
  readIdentified,
  isTrustedFile,
  readTrust,
  revokeTrust,
  trustFiles,
} from '../trust/trust-store.ts'
import { type CommandCall, parseOptions, printResult } from './command.ts'

/** Stops trusting a file or everything below a folder, even if it no longer exists. */
async function revokeTrustAt(call: CommandCall, path: string): Promise<ExitCode> {
  const target = resolve(path)
  const real = await realpath(target).catch(() => target)
  const revoked = await revokeTrust(
    call.environment.home,
    (file) => file === real || file.startsWith(real + sep),
  )
  if (revoked.length === 0) {
    throw new PlatformError('not_found', {
      message: `There is no trusted file at ${target}.`,
      fix: '`parley trust --list` lists them.',
    })
  }
  return printResult(call, { revoked }, `No longer trusted: ${revoked.join(', ')}`)
}

const TrustOptions = z.object({
  list: z.boolean().default(false),
  revoke: z.string().optional(),
  yes: z.boolean().default(false),
})

/**
 * Shows what project files ask for beyond the user's config, and after confirmation trusts exactly these bytes.
 */
export async function trustProject(call: CommandCall): Promise<ExitCode> {
  const { io, json, options, positionals, environment } = call
  const { list, revoke: revoked, yes } = parseOptions(TrustOptions, options)
  if (list) return listTrust(call)
  if (revoked !== undefined) return revokeTrustAt(call, revoked)

  const [path = '.'] = positionals
  const files = await findWideningFiles(environment, path)
  const asking = files.filter(({ isTrusted }) => !isTrusted)
  if (!json) printMessage(io.stdout, asking.length === 0 ? describeTrusted(files) : describeRequests(asking))
  if (asking.length > 0 && !(await confirmTrust(call, yes))) {
    printMessage(io.stdout, 'Nothing was trusted.')
    return EXIT.cancelled
  }
  if (asking.length > 0) {
    await trustFiles(
      environment.home,
      asking.map(({ identity }) => identity),
    )
  }
  const trusted = asking.map(({ file, identity, asks }) => ({ file, sha256: identity.sha256, asks }))
  if (json) io.stdout.write(toJsonLine({ trusted }))
  else if (asking.length > 0) printMessage(io.stdout, 'Trusted until the file changes.')
  return EXIT.done
}

const describeTrusted = (files: readonly WideningFile[]): string =>
  files.length === 0
    ? 'Nothing here asks for more than your own config allows.'
    : `Already trusted: ${files.map(({ file }) => file).join(', ')}`

const describeRequests = (asking: readonly WideningFile[]): string =>
  [
    'These files ask for more than your own config allows:',
    ...asking.flatMap(({ file, asks }) => ['', file, ...asks.map((one) => `  - ${toSingleLine(one)}`)]),
    '',
  ].join('\n')

async function confirmTrust({ io, json, environment }: CommandCall, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (json || !canAsk(io)) {
    throw new PlatformError('validation', {
      message: 'Trusting files needs a terminal. Nothing was trusted.',
      fix: 'Run it in a terminal, or use --yes if you know what the files ask for.',
    })
  }
  return (await confirm(io, environment, 'Trust these files?')) === 'yes'
}

async function listTrust({ io, json, environment }: CommandCall): Promise<ExitCode> {
  const files = await readTrust(environment.home)
  const items = await Promise.all(
    files.map(async (file) => ({ ...file, state: await compareWithFile(file) })),
  )
  if (json) io.stdout.write(toJsonLine({ items }))
  else if (items.length === 0) printMessage(io.stdout, 'No files are trusted.')
  else {
    const rows = items.map(({ trustedAt, state, path }) => [formatLocalTime(trustedAt), state, path])
    io.stdout.write(
      renderColumns(['SINCE', 'STATE', 'FILE'], rows, readDisplay(io.stdout, environment).style),
    )
  }
  return EXIT.done
}

async function compareWithFile({ path, sha256 }: TrustedFile): Promise<'unchanged' | 'changed' | 'gone'> {
  const bytes = await readFile(path).catch(() => undefined)
  if (!bytes) return 'gone'
  return computeSha256(bytes) === sha256 ? 'unchanged' : 'changed'
}

/** A file that asks for more than the user's config allows. */
interface WideningFile {
  readonly file: string
  readonly identity: FileIdentity
  readonly asks: readonly string[]
  readonly isTrusted: boolean
}

async function findWideningFiles(environment: Environment, path: string): Promise<readonly WideningFile[]> {
  const target = resolve(path)
  const stats = await stat(target).catch(() => undefined)
  if (!stats)
    throw new PlatformError('validation', { message: `There is no file or folder ${target}.`, path: target })
  const folder = stats.isDirectory() ? target : dirname(target)
  const workingDir = basename(folder) === '.parley' ? dirname(folder) : folder
  const { project, files } = await readProjectFiles(environment, workingDir)
  const agents = project === undefined ? [] : await listAgentFiles(join(project, 'agents'))
  const isAgent = stats.isFile() && target.endsWith('.agent.yaml')
  const asking = [
    ...(await findWideningConfigs(environment, files)),
    ...(await findWideningAgents(environment, isAgent ? [target] : agents)),
  ].filter(({ asks }) => asks.length > 0)
  const selected = stats.isDirectory() ? asking : await selectFile(asking, target)
  const trusted = await readTrust(environment.home)
  return selected.map((one) => ({ ...one, isTrusted: isTrustedFile(trusted, one.identity) }))
}

type WideningRequest = Omit<WideningFile, 'isTrusted'>

type ProjectFiles = Awaited<ReturnType<typeof readProjectFiles>>['files']

async function findWideningConfigs(
  { home }: Environment,
  files: ProjectFiles,
): Promise<readonly WideningRequest[]> {
  const own = await readConfigFile(join(home, OWN_FILE))
  const { widenings } = mergeConfigLayers([
    ...(own ? [{ source: own.file, config: own.config, reach: 'own' as const }] : []),
    ...files.map(({ file, config }) => ({ source: file, config, reach: 'narrowing' as const })),
  ])
  return Promise.all(
    files.map(async ({ file, sha256 }) => ({
      file,
      identity: { path: await realpath(file), sha256 },
      asks: widenings.filter(({ source }) => source === file).map(({ what }) => what),
    })),
  )
}

/** An invalid agent file cannot be used, so it asks for nothing. */
async function findWideningAgents(
  { home }: Environment,
  files: readonly string[],
): Promise<readonly WideningRequest[]> {
  const own = await listAgents({ home })
  const ownIds = own.agents.filter(({ source }) => source === 'own').map(({ agent }) => agent.id)
  const { readAgentFile } = await import('../agent/read-agent-file.ts')
  const read = files.map(async (file) => {
    try {
      await refuseOutsideLink(file, home)
      const { value, identity } = await readIdentified(file, readAgentFile)
      return [{ file, identity, asks: listAgentNeeds(value, ownIds) }]
    } catch (failure) {
      if (failure instanceof PlatformError) return []
      throw failure
    }
  })
  return (await Promise.all(read)).flat()
}

async function selectFile(
  asking: readonly WideningRequest[],
  target: string,
): Promise<readonly WideningRequest[]> {
  const path = await realpath(target)
  return asking.filter(({ identity }) => identity.path === path)
}
