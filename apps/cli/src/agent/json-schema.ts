import { Agent, ConfigFile, WorkflowFile } from '@parley/contracts'
import { z } from 'zod'

const SCHEMAS = {
  agent: { schema: Agent, title: 'A Parley agent (.agent.yaml)' },
  config: { schema: ConfigFile, title: 'Parley config (config.toml, workspace.toml, project.toml)' },
  workflow: { schema: WorkflowFile, title: 'A workflow (.relavium.yaml)' },
} as const

/** The JSON Schema of a config or agent file, for editors. */
export function createJsonSchema(file: keyof typeof SCHEMAS): string {
  const { schema, title } = SCHEMAS[file]
  return `${JSON.stringify({ title, ...z.toJSONSchema(schema, { io: 'input' }) }, undefined, 2)}\n`
}
