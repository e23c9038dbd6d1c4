import { mkdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { type Agent, ModelReference, PlatformError, kebabIdSchema } from '@parley/contracts'
import {
  type LocatedAgent,
  createAgentSearch,
  describeAgentProvider,
  listAgentFiles,
  listAgents,
  locateAgent,
  refuseOutsideLink,
} from '../agent/find-agent.ts'
import { createJsonSchema } from '../agent/json-schema.ts'
import { type ReferenceProblem, readKnownNames, findUnknownReferences } from '../agent/unknown-references.ts'
import { listProviders } from '../config/configured-providers.ts'
import { findParleyFolder, loadSettings } from '../config/load-settings.ts'
import { splitModel } from '../config/merge-config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { renderColumns } from '../render/columns.ts'
import { toJsonLine, notify, printMessage } from '../render/output.ts'
import { readDisplay } from '../render/display.ts'
import { formatCount, formatSuggestion, sanitise } from '../render/text.ts'
import { type CommandCall, parseOptions, printJson, printResult } from './command.ts'

export async function printAgents({ io, json, environment }: CommandCall): Promise<ExitCode> {
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  const providers = listProviders(settings, environment)
  const { agents, broken } = await listAgents({ home: environment.home, project: settings.project })
  if (json) {
    const items = agents.map((one) => ({ ...toJson(one), ...describeAgentProvider(one.agent, providers) }))
    const unreadable = broken.map(({ file, failure }) => ({ file, message: failure.message }))
    return printJson(io, { items, broken: unreadable })
  }
  const rows = agents
    .filter(({ hiddenBy }) => hiddenBy === undefined)
    .map(({ agent, source, file }) => [
      agent.id,
      `${agent.provider}/${agent.model}`,
      describeAgentProvider(agent, providers).state,
      file ?? source,
    ])
  io.stdout.write(
    renderColumns(['ID', 'MODEL', 'PROVIDER', 'FROM'], rows, readDisplay(io.stdout, environment).style),
  )
  for (const notice of listNotices(agents)) notify(io, notice)
  for (const { file } of broken)
    notify(io, `${file} is not a valid agent file. \`parley agents check\` says why.`)
  return EXIT.done
}

const toJson = ({ agent, source, file, needsTrust, hiddenBy }: LocatedAgent) => ({
  id: agent.id,
  name: agent.name,
  provider: agent.provider,
  model: agent.model,
  source,
  file,
  needsTrust,
  hiddenBy,
})

const listNotices = (agents: readonly LocatedAgent[]): readonly string[] =>
  agents.flatMap(({ agent, file, hiddenBy, needsTrust }) => [
    ...(hiddenBy === undefined ? [] : [`"${agent.id}" of ${file} is hidden by ${hiddenBy}.`]),
    ...(needsTrust.length === 0
      ? []
      : [`"${agent.id}" does not get ${needsTrust.join(', ')} until you trust it: parley trust ${file}`]),
  ])

export async function showAgent(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const [agentRef = ''] = positionals
  const { agent, source, file } = await locateAgent(agentRef, createAgentSearch(call))
  if (json) return printJson(io, { from: file ?? source, agent })
  const { stringify } = await import('yaml')
  io.stdout.write(sanitise(`# ${file ?? source}\n${stringify(agent)}`))
  return EXIT.done
}

const NewOptions = z.object({
  model: z
    .string()
    .refine(
      (model) => ModelReference.safeParse(model).success,
      'must be a provider and its model, such as offline/offline',
    )
    .optional(),
  project: z.boolean().default(false),
})

/** Creates an agent file with comments; never overwrites one. */
export async function createAgent(call: CommandCall): Promise<ExitCode> {
  const { options, positionals, environment } = call
  const { home } = environment
  const id = parseAgentId(positionals)
  const { model: given, project: inProject } = parseOptions(NewOptions, options)
  const parleyFolder = await findParleyFolder(process.cwd(), home)
  const { agents } = await listAgents({ home, project: parleyFolder })
  const existing = agents.find(({ agent }) => agent.id === id)
  if (existing) {
    throw new PlatformError('validation', {
      message: `The agent "${id}" already exists: ${existing.file ?? existing.source}.`,
      fix: 'Choose another id, or edit that one.',
    })
  }

  const folder = join(inProject ? (parleyFolder ?? join(process.cwd(), '.parley')) : home, 'agents')
  const file = join(folder, `${id}.agent.yaml`)
  const model = given ?? (await loadSettings(environment, { workingDir: process.cwd() })).chat.default_model
  await writeNewFile(folder, file, renderTemplate(id, splitModel(model)))
  await writeFile(join(folder, SCHEMA_FILE), createJsonSchema('agent'))
  return printResult(
    call,
    { id, file },
    `Written: ${file}\nEdit it, then start a chat: parley chat --agent ${id}`,
  )
}

function parseAgentId([given = '']: readonly string[]): string {
  if (kebabIdSchema.safeParse(given).success) return given
  throw new PlatformError('validation', {
    message: `"${given}" cannot be the id of an agent.`,
    fix: 'Use lower-case letters, digits and single hyphens, such as code-reader.',
  })
}

async function writeNewFile(folder: string, file: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(file, text, { flag: 'wx' })
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
    const message =
      code === 'EEXIST' ? `The file ${file} already exists.` : `The file ${file} cannot be written (${code}).`
    throw new PlatformError('validation', { message, fix: 'Nothing was changed.', file }, { cause: failure })
  }
}

interface CheckedFile {
  readonly file: string
  readonly id?: string
  readonly problems: readonly string[]
  /** Warnings: valid, but without effect. */
  readonly notices?: readonly string[]
}

export async function checkAgents({ io, json, positionals, environment }: CommandCall): Promise<ExitCode> {
  const { home } = environment
  // Other commands report a broken config.
  const known = await readKnownNames(environment).catch(() => undefined)
  const findProblems = (agent: Agent) => (known ? findUnknownReferences(agent, known) : [])
  const all = await listAllFiles(home)
  const files =
    positionals.length === 0
      ? all
      : [...new Set((await Promise.all(positionals.map((given) => selectFiles(given, all, home)))).flat())]
  const checked: CheckedFile[] = []
  for (const file of files) checked.push(markDuplicateId(await checkFile(file, home, findProblems), checked))
  const problems = checked.flatMap((one) => one.problems)
  if (json) io.stdout.write(toJsonLine({ files: checked, problems: problems.length }))
  else {
    for (const notice of checked.flatMap((one) => one.notices ?? [])) notify(io, notice)
    for (const problem of problems) printMessage(io.stdout, problem)
    if (problems.length === 0)
      printMessage(
        io.stdout,
        files.length === 0 ? NO_FILES : `${formatCount(files.length, 'file')} checked, no problems found.`,
      )
  }
  return problems.length === 0 ? EXIT.done : EXIT.badInput
}

const NO_FILES = 'There are no agent files.'

async function listAllFiles(home: string): Promise<readonly string[]> {
  const project = await findParleyFolder(process.cwd(), home)
  const folders = [...(project === undefined ? [] : [project]), home].map((folder) => join(folder, 'agents'))
  return (await Promise.all(folders.map(listAgentFiles))).flat()
}

/** The files for an id, by content or file name; anything else is a path. */
async function selectFiles(given: string, all: readonly string[], home: string): Promise<readonly string[]> {
  if (!kebabIdSchema.safeParse(given).success) return [given]
  const ids = await Promise.all(
    all.map(async (file) => (await checkFile(file, home)).id ?? basename(file, '.agent.yaml')),
  )
  const named = all.filter((_, index) => ids[index] === given)
  if (named.length > 0) return named
  if (await stat(given).catch(() => undefined)) return [given]
  throw new PlatformError('agent_not_found', {
    message: `No agent file has the id "${given}"${formatSuggestion(given, ids)}`,
    fix:
      ids.length === 0
        ? '`parley agents new ID` creates one.'
        : `There are: ${[...new Set(ids)].join(', ')}.`,
    given,
  })
}

async function checkFile(
  file: string,
  home: string,
  findProblems: (agent: Agent) => readonly ReferenceProblem[] = () => [],
): Promise<CheckedFile> {
  const { readAgentFile } = await import('../agent/read-agent-file.ts')
  try {
    await refuseOutsideLink(file, home)
    const agent = await readAgentFile(file, (read) =>
      findProblems(read).filter(({ kind }) => kind === 'unknown'),
    )
    const notices = findProblems(agent).map(({ message }) => `The agent "${agent.id}": ${message}.`)
    return { file, id: agent.id, problems: [], ...(notices.length > 0 && { notices }) }
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return { file, problems: failure.message.split('\n').map((line) => line.trim()) }
  }
}

/** Two agents with one id in one folder are ambiguous. */
function markDuplicateId(checked: CheckedFile, earlier: readonly CheckedFile[]): CheckedFile {
  const same = earlier.find(
    ({ id, file }) => id !== undefined && id === checked.id && dirname(file) === dirname(checked.file),
  )
  if (!same) return checked
  return {
    ...checked,
    problems: [`${checked.file}:1:1: its id "${checked.id}" is also used by ${same.file}`],
  }
}

export async function printAgentSchema({ io }: CommandCall): Promise<ExitCode> {
  io.stdout.write(createJsonSchema('agent'))
  return EXIT.done
}

/** A minimal agent file, with the other settings as comments. */
function renderTemplate(id: string, { provider, model }: { provider: string; model: string }): string {
  return `# yaml-language-server: $schema=./${SCHEMA_FILE}
# Use it: parley chat --agent ${id}
id: ${id}
name: ${JSON.stringify(toTitle(id))}
# description: Its purpose.

# \`parley providers\` lists the providers.
provider: ${JSON.stringify(provider)}
model: ${JSON.stringify(model)}

system_prompt: |
  You are a helpful assistant. Answer briefly, and say so when you do not know.

# temperature: 0.7
# max_tokens: 4096
# reasoning_effort: medium        # low, medium, high

# The tools it can use. Your config limits what they can do: parley config
# tools: [read_file, list_directory, search_files]
# mcp_servers: []

# How much of earlier turns it gets (default: all that fits).
# memory: { type: window, window_size: 5 }        # none, window, summary

# JSON Schemas of each message, read in the prompt as {{inputs.city}}, and of each answer.
# input_schema: { type: object, properties: { city: { type: string } }, required: [city] }
# output_schema: { type: object, properties: { answer: { type: string } }, required: [answer] }

# Models to use when its own fails.
# fallback_chain:
#   - { provider: offline, model: offline }
# retry: { max_attempts: 4 }
`
}

const SCHEMA_FILE = 'agent.schema.json'

const toTitle = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1).replaceAll('-', ' ')
