import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { isLocalUrl } from '@parley/contracts'
import { listAgents } from '../agent/find-agent.ts'
import {
  readKnownNames,
  findModelReferenceProblems,
  findUnknownReferences,
} from '../agent/unknown-references.ts'
import { loadModels, openLocalHistory } from '../compose.ts'
import type { Environment } from '../environment.ts'
import { isUsable, describeKeyState } from '../config/configured-providers.ts'
import { type Settings, loadSettings } from '../config/load-settings.ts'
import { listSecretNotices } from '../config/secrets.ts'
import { findRunningServer, createRequestTimeout } from '../up/run-file.ts'

export interface CheckFinding {
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  readonly fix?: string
}

/** Checks one thing and changes nothing. */
export interface DoctorCheck {
  readonly name: string
  readonly run: (environment: Environment) => Promise<CheckFinding>
}

const reportOk = (found: string): CheckFinding => ({ state: 'ok', found })
const reportWarning = (found: string, fix: string): CheckFinding => ({ state: 'warning', found, fix })
export const reportProblem = (found: string, fix: string): CheckFinding => ({ state: 'problem', found, fix })

/** Programs and secrets that tools need. Starts nothing. */
async function checkTools(environment: Environment): Promise<CheckFinding> {
  const settings = await loadSettings(environment, { workingDir: process.cwd() }).catch(() => undefined)
  if (!settings) return UNREADABLE
  const hasGit = await isProgram('git', environment)
  const servers = await Promise.all(
    Object.entries(settings.mcp_servers).map(async ([name, { command, url }]) => ({
      name,
      command,
      found: command === undefined ? `at ${url}` : await describeProgram(command, environment),
    })),
  )
  // The history check reports why a history cannot be read.
  const secrets = await listSecretNotices(settings, environment).catch(() => [])
  const found = [
    `git ${hasGit ? 'found' : 'not found'}`,
    ...servers.map((server) => `MCP server ${server.name} (${server.found})`),
  ].join(', ')
  const missing = servers.filter((server) => server.found.endsWith(NOT_FOUND))
  const fixes = [
    ...(hasGit ? [] : ['Install git, for git_status and git_commit.']),
    ...missing.map(
      ({ name, command }) => `Install ${command}, or write its full path in mcp_servers.${name}.`,
    ),
    ...secrets,
  ]
  return fixes.length === 0 ? reportOk(found) : reportWarning(found, fixes.join('\n'))
}

const NOT_FOUND = 'not found'

const describeProgram = async (command: string, environment: Environment): Promise<string> =>
  `${command} ${(await isProgram(command, environment)) ? 'found' : NOT_FOUND}`

async function isProgram(command: string, { toolVariables }: Environment): Promise<boolean> {
  const folders = (toolVariables['PATH'] ?? '').split(delimiter).filter(isAbsolute)
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

export const CHECKS: readonly DoctorCheck[] = [
  { name: 'Node', run: checkNode },
  { name: 'Data folder', run: checkDataFolder },
  { name: 'History', run: checkHistory },
  { name: 'Offline model', run: checkOfflineModel },
  { name: 'Config', run: checkConfig },
  { name: 'Providers', run: checkProviders },
  { name: 'Agents', run: checkAgents },
  { name: 'Tools', run: checkTools },
  { name: 'Postgres', run: checkPostgres },
  { name: 'parley up', run: checkServer },
  { name: 'Voice', run: checkVoiceProvider },
  { name: 'Links', run: checkLinks },
]

/** The boot file already refused versions that are too old. */
async function checkNode(): Promise<CheckFinding> {
  return reportOk(process.versions.node)
}

async function checkDataFolder({ home }: Environment): Promise<CheckFinding> {
  const found = await stat(home).catch(() => undefined)
  const refusal = await findWriteRefusal(found ? home : await findNearestFolder(home))
  if (!found) {
    return refusal === undefined
      ? reportOk(`${home}, created when first needed`)
      : reportProblem(
          `${home} cannot be created: ${refusal}`,
          'Set PARLEY_HOME to a folder you can write to.',
        )
  }
  if (!found.isDirectory()) return reportProblem(`${home} is not a folder`, 'Set PARLEY_HOME to a folder.')
  if (refusal !== undefined) {
    const fix = refusal === DISK_READ_ONLY ? 'Make the disk writable' : `Run: chmod u+rwx ${home}`
    return reportProblem(
      `${home} cannot be written: ${refusal}`,
      `${fix}; or set PARLEY_HOME to another folder.`,
    )
  }
  const { bavail, bsize } = await statfs(home)
  const room = bavail * bsize
  if (room < MIN_FREE_BYTES) {
    return reportWarning(`${home} has ${formatSize(room)} left on its disk`, 'Free some disk space.')
  }
  const openToOthers = process.platform !== 'win32' && (found.mode & 0o077) !== 0
  return openToOthers
    ? reportWarning(`${home} is open to other users`, `Run: chmod 700 ${home}`)
    : reportOk(home)
}

async function checkHistory(environment: Environment): Promise<CheckFinding> {
  const path = join(environment.home, 'history.db')
  if (!(await stat(path).catch(() => undefined))) return reportOk('none yet, created with the first session')
  const notices: string[] = []
  const history = await openLocalHistory(environment, (notice) => notices.push(notice))
  try {
    const startedAt = performance.now()
    const { pages, bytes } = history.verify()
    const seconds = (performance.now() - startedAt) / 1_000
    const size = `${pages} pages (${formatSize(bytes)})`
    const time = seconds < 1 ? '' : `, in ${seconds.toFixed(1)} s`
    const found = `${history.path} opens with the key from the ${history.keyPlace}; all ${size} are intact${time}`
    return notices.length > 0 ? reportWarning(found, notices.join(' ')) : reportOk(found)
  } finally {
    history.close()
  }
}

async function checkOfflineModel(): Promise<CheckFinding> {
  const { getModel } = await loadModels()
  const model = getModel({ id: 'offline', provider: 'offline', model: 'offline', system_prompt: '' })
  const question = { type: 'text' as const, text: 'What are you?' }
  const request = {
    system: '',
    messages: [{ role: 'user' as const, content: [question] }],
    tools: [],
    maxTokens: 100,
  }
  for await (const event of model.stream(request, AbortSignal.timeout(5_000))) {
    if (event.type === 'text') return reportOk('works, without a key or a network')
  }
  return reportProblem('does not respond', 'Install Parley again.')
}

async function checkConfig(environment: Environment): Promise<CheckFinding> {
  const { files, notices } = await loadSettings(environment, { workingDir: process.cwd() })
  const found = files.length === 0 ? 'no file; using the defaults' : files.join(', ')
  return notices.length === 0 ? reportOk(found) : reportWarning(found, notices.join(' '))
}

async function checkProviders(environment: Environment): Promise<CheckFinding> {
  const known = await readKnownNames(environment).catch(() => undefined)
  if (!known) return UNREADABLE
  const { providers: found } = known
  const summary = found.map((provider) => `${provider.name} (${describeKeyState(provider)})`).join(', ')
  const keyless = found.filter((provider) => !isUsable(provider)).map(({ apiKeyName }) => apiKeyName)
  const unknown = listConfiguredModels(known).flatMap(({ key, model, source }) =>
    findModelReferenceProblems(model, known).map(
      ({ message }) => `${source}: ${key} = "${model}": ${message}.`,
    ),
  )
  if (unknown.length > 0) return reportProblem(summary, unknown.join('\n'))
  return keyless.length === 0
    ? reportOk(summary)
    : reportWarning(summary, `Set ${keyless.join(', ')}, to use them.`)
}

const UNREADABLE = reportWarning('not checked: the config cannot be read', 'Fix the config first.')

const listConfiguredModels = ({
  settings: { chat, learning, sources },
  ownFile,
}: {
  readonly settings: Settings
  readonly ownFile: string
}) => [
  {
    key: 'default_model',
    model: chat.default_model,
    source: sources['chat.default_model'] ?? 'default',
  },
  ...(['model', 'embedding_model'] as const).flatMap((key) => {
    const model = learning[key]
    return model === undefined ? [] : [{ key: `learning.${key}`, model, source: ownFile }]
  }),
]

/** Whether everything that agents refer to exists. */
async function checkAgents(environment: Environment): Promise<CheckFinding> {
  const known = await readKnownNames(environment).catch(() => undefined)
  if (!known) return UNREADABLE
  const { project } = known.settings
  const { agents: found, broken } = await listAgents({ home: environment.home, project })
  const flaws = found.flatMap(({ agent, file }) =>
    findUnknownReferences(agent, known).map((flaw) => ({ ...flaw, file: file ?? agent.id })),
  )
  const summary = found.map(({ agent }) => agent.id).join(', ')
  const lines = [
    ...broken.map(({ failure }) => failure.message),
    ...flaws.map(({ file, path, message }) => `${file}: ${path.join('.')}: ${message}.`),
  ]
  if (lines.length === 0) return reportOk(summary)
  const isBroken = broken.length > 0 || flaws.some(({ kind }) => kind === 'unknown')
  return isBroken ? reportProblem(summary, lines.join('\n')) : reportWarning(summary, lines.join('\n'))
}

async function checkPostgres({ databaseUrl }: Environment): Promise<CheckFinding> {
  if (databaseUrl !== undefined) return reportOk('your own (DATABASE_URL)')
  const platform = `${process.platform}-${process.arch}`
  try {
    const { findBinaries } = await import('@parley/postgres')
    await access(findBinaries().postgres, constants.X_OK)
    return reportOk(`bundled for ${platform}, installed`)
  } catch {
    return reportWarning(
      `not bundled for ${platform}; \`parley up\` cannot start, \`parley chat\` needs none`,
      'Install again with optional dependencies, or set DATABASE_URL to a Postgres of your own.',
    )
  }
}

async function checkServer({ home, port }: Environment): Promise<CheckFinding> {
  const run = await findRunningServer(home)
  if (run?.url !== undefined) return reportOk(`runs as process ${run.pid}, web console at ${run.url}`)
  if (run) return reportOk(`is just starting, as process ${run.pid}`)
  const left = await stat(join(home, 'run.json')).catch(() => undefined)
  const found = `not running; the web console would be on ${formatPort(port)}`
  return left ? reportOk(`${found} (the last one was killed; the next one cleans up)`) : reportOk(found)
}

async function checkVoiceProvider({ home, voicePort, variable }: Environment): Promise<CheckFinding> {
  const voiceUrl = (await findRunningServer(home))?.voiceUrl
  if (voiceUrl === undefined) {
    return reportOk(`not running; \`parley up\` would run the local provider on ${formatPort(voicePort)}`)
  }
  const key = variable('ELEVENLABS_API_KEY') === undefined ? join(home, 'voice-key') : 'ELEVENLABS_API_KEY'
  const answer = await fetch(`${voiceUrl}/v1/user`, { signal: createRequestTimeout() }).catch(() => undefined)
  return answer
    ? reportOk(`the local provider runs at ${voiceUrl}; its key is in ${key}`)
    : reportWarning(
        `the local provider does not respond at ${voiceUrl}`,
        `It restarts automatically; ${join(home, 'logs', 'parley.log')} says why it stopped.`,
      )
}

/** The running server creates the links, so its address counts. */
async function checkLinks(environment: Environment): Promise<CheckFinding> {
  const run = await findRunningServer(environment.home)
  const { publicUrl } = run?.url === undefined ? environment : run
  return publicUrl === undefined || isLocalUrl(publicUrl)
    ? reportOk('share and invitation links work on this machine only; set PARLEY_PUBLIC_URL to change that')
    : reportOk(`share and invitation links use ${publicUrl} (PARLEY_PUBLIC_URL)`)
}

const formatPort = (port: number) => (port === 0 ? 'a free port of 127.0.0.1' : `http://127.0.0.1:${port}`)

const formatSize = (bytes: number) =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`

const MIN_FREE_BYTES = 20_000_000

const DISK_READ_ONLY = 'its disk is read-only'

/** Why the folder cannot be written. */
const findWriteRefusal = (path: string): Promise<string | undefined> =>
  access(path, constants.W_OK | constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === 'EROFS' ? DISK_READ_ONLY : 'access is denied'),
  )

async function findNearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found || dirname(path) === path ? path : findNearestFolder(dirname(path))
}
