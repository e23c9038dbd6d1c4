import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadModels, openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { liveRun } from '../up/run-file.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'

export const CHECKS: readonly Check[] = [
  { name: 'Node', look: nodeVersion },
  { name: 'Data folder', look: homeFolder },
  { name: 'History', look: localHistory },
  { name: 'Offline model', look: offlineModel },
  { name: 'Provider keys', look: providerKeys },
  { name: 'Postgres', look: postgres },
  { name: 'parley up', look: runningServer },
]

/** The boot file refuses what is too old, so that what comes here is new enough. */
async function nodeVersion(): Promise<Finding> {
  return ok(process.versions.node)
}

async function homeFolder({ home }: Config): Promise<Finding> {
  const found = await stat(home).catch(() => undefined)
  if (!found) {
    return (await isWritable(await nearestFolder(home)))
      ? ok(`${home}, made when it is first needed`)
      : problem(
          `${home} cannot be made: access is denied`,
          'Set PARLEY_HOME to a folder that you may write to.',
        )
  }
  if (!found.isDirectory()) return problem(`${home} is not a folder`, 'Set PARLEY_HOME to a folder.')
  if (!(await isWritable(home))) return problem(`${home} cannot be written`, `Run: chmod u+rwx ${home}`)
  const openToOthers = process.platform !== 'win32' && (found.mode & 0o077) !== 0
  return openToOthers ? warning(`${home} is open to other users`, `Run: chmod 700 ${home}`) : ok(home)
}

async function localHistory(config: Config): Promise<Finding> {
  const path = join(config.home, 'history.db')
  if (!(await stat(path).catch(() => undefined))) return ok('none yet, made with the first conversation')
  const notices: string[] = []
  const history = await openLocalHistory(config, (notice) => notices.push(notice))
  try {
    const { items } = await history.store.list({ limit: 1 })
    const found = `${history.path} opens with the key from the ${history.keyPlace}`
    if (notices.length > 0) return warning(found, notices.join(' '))
    return ok(items.length === 0 ? `${found}, and is empty` : found)
  } finally {
    history.close()
  }
}

async function offlineModel(): Promise<Finding> {
  const { modelOf } = await loadModels()
  const model = modelOf({ id: 'offline', provider: 'offline', model: 'offline', system_prompt: '' })
  const question = { type: 'text' as const, text: 'What are you?' }
  const request = {
    system: '',
    messages: [{ role: 'user' as const, content: [question] }],
    tools: [],
    maxTokens: 100,
  }
  for await (const event of model.stream(request, AbortSignal.timeout(5_000))) {
    if (event.type === 'text') return ok('answers, without a key or a network')
  }
  return problem('does not answer', 'Install Parley again.')
}

async function providerKeys({ providerKeys: names }: Config): Promise<Finding> {
  return ok(
    names.length === 0
      ? 'none set; answers come from the offline model'
      : `${names.join(', ')} set; not used yet, since providers come by configuration`,
  )
}

async function postgres({ databaseUrl }: Config): Promise<Finding> {
  if (databaseUrl !== undefined) return ok('your own, by DATABASE_URL')
  const platform = `${process.platform}-${process.arch}`
  try {
    const { findBinaries } = await import('@parley/postgres')
    await access(findBinaries().postgres, constants.X_OK)
    return ok(`the bundled one for ${platform} is installed`)
  } catch {
    return warning(
      `none is bundled for ${platform}; \`parley up\` cannot start, \`parley chat\` needs none`,
      'Install again with optional dependencies, or set DATABASE_URL to a Postgres of your own.',
    )
  }
}

async function runningServer({ home, port }: Config): Promise<Finding> {
  const run = await liveRun(home)
  if (run?.url !== undefined) return ok(`runs as process ${run.pid}; its page is ${run.url}`)
  if (run) return ok(`is just starting, as process ${run.pid}`)
  const left = await stat(join(home, 'run.json')).catch(() => undefined)
  const found = `not running; it would serve its page on http://127.0.0.1:${port}`
  return left ? ok(`${found} (the last one was killed; the next one clears up)`) : ok(found)
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found || dirname(path) === path ? path : nearestFolder(dirname(path))
}
