import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kebabIdSchema, ModelReference, PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { agentTemplate, SCHEMA_FILE } from '../agent/agent-template.ts'
import { jsonSchemaOf } from '../agent/json-schema.ts'
import { listAgents } from '../agent/list-agents.ts'
import { findProject } from '../config/find-project.ts'
import { loadSettings } from '../config/load-settings.ts'
import { splitModel } from '../config/split-model.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

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

/** Writes a new agent file with comments to begin from; what is there is left as it is. */
export async function newAgent({ io, json, options, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { home } = config
  const id = idIn(positionals)
  const { model: given, project: inProject } = parseOptions(NewOptions, options)
  const project = await findProject(process.cwd(), home)
  const { agents } = await listAgents({ home, project })
  const before = agents.find(({ agent }) => agent.id === id)
  if (before) throw taken(id, before.file ?? before.source)

  const folder = join(inProject ? (project ?? join(process.cwd(), '.parley')) : home, 'agents')
  const file = join(folder, `${id}.agent.yaml`)
  const model = given ?? (await loadSettings(config, { workingDir: process.cwd() })).chat.default_model
  await writeNew(folder, file, agentTemplate(id, splitModel(model)))
  await writeFile(join(folder, SCHEMA_FILE), jsonSchemaOf('agent'))
  if (json) io.stdout.write(jsonLine({ id, file }))
  else tell(io.stdout, `Written: ${file}\nEdit it, then talk with it: parley chat --agent ${id}`)
  return EXIT.done
}

function idIn([given = '']: readonly string[]): string {
  if (kebabIdSchema.safeParse(given).success) return given
  throw new PlatformError('validation', {
    message: `"${given}" cannot be the id of an agent.`,
    mend: 'Use lower-case letters, digits and single hyphens, such as code-reader.',
  })
}

async function writeNew(folder: string, file: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(file, text, { flag: 'wx' })
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
    const message =
      code === 'EEXIST' ? `There is a file ${file} already.` : `The file ${file} cannot be written (${code}).`
    throw new PlatformError('validation', { message, mend: 'Nothing was changed.', file }, { cause: failure })
  }
}

const taken = (id: string, where: string) =>
  new PlatformError('validation', {
    message: `There is an agent "${id}" already: ${where}.`,
    mend: 'Choose another id, or edit that one.',
  })
