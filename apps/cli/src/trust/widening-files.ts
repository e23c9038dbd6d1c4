import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { agentNeeds } from '../agent/agent-needs.ts'
import { agentFiles, listAgents } from '../agent/list-agents.ts'
import { refuseLinkOut } from '../agent/refuse-link-out.ts'
import { OWN_FILE, readProjectFiles } from '../config/load-settings.ts'
import { mergeConfig } from '../config/merge-config.ts'
import { readConfigFile } from '../config/read-config-file.ts'
import type { Config } from '../config.ts'
import { identified } from './identified.ts'
import { type FileIdentity, isTrusted, readTrust } from './trust-store.ts'

/** A file that asks for more than the person's own config allows. */
export interface WideningFile {
  readonly file: string
  readonly identity: FileIdentity
  readonly asks: readonly string[]
  readonly isTrusted: boolean
}

/** The files of a project, or the one file, that ask for more; exactly as they were read. */
export async function wideningFiles(config: Config, path: string): Promise<readonly WideningFile[]> {
  const target = resolve(path)
  const found = await stat(target).catch(() => undefined)
  if (!found)
    throw new PlatformError('validation', { message: `There is no file or folder ${target}.`, path: target })
  const folder = found.isDirectory() ? target : dirname(target)
  const workingDir = basename(folder) === '.parley' ? dirname(folder) : folder
  const { project, files } = await readProjectFiles(config, workingDir)
  const agents = project === undefined ? [] : await agentFiles(join(project, 'agents'))
  const isAgent = found.isFile() && target.endsWith('.agent.yaml')
  const asking = [
    ...(await configsThatAsk(config, files)),
    ...(await agentsThatAsk(config, isAgent ? [target] : agents)),
  ].filter(({ asks }) => asks.length > 0)
  const meant = found.isDirectory() ? asking : await onlyFile(asking, target)
  const trust = await readTrust(config.home)
  return meant.map((one) => ({ ...one, isTrusted: isTrusted(trust, one.identity) }))
}

type Asking = Omit<WideningFile, 'isTrusted'>

type ProjectFiles = Awaited<ReturnType<typeof readProjectFiles>>['files']

async function configsThatAsk({ home }: Config, files: ProjectFiles): Promise<readonly Asking[]> {
  const own = await readConfigFile(join(home, OWN_FILE))
  const { widenings } = mergeConfig([
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

/** A file that holds no agent asks for nothing: it cannot be used. */
async function agentsThatAsk({ home }: Config, files: readonly string[]): Promise<readonly Asking[]> {
  const own = await listAgents({ home })
  const ownIds = own.agents.filter(({ source }) => source === 'own').map(({ agent }) => agent.id)
  const { readAgentFile } = await import('../agent/read-agent-file.ts')
  const read = files.map(async (file) => {
    try {
      await refuseLinkOut(file, home)
      const { value, identity } = await identified(file, readAgentFile)
      return [{ file, identity, asks: agentNeeds(value, ownIds) }]
    } catch (failure) {
      if (failure instanceof PlatformError) return []
      throw failure
    }
  })
  return (await Promise.all(read)).flat()
}

async function onlyFile(asking: readonly Asking[], target: string): Promise<readonly Asking[]> {
  const path = await realpath(target)
  return asking.filter(({ identity }) => identity.path === path)
}
