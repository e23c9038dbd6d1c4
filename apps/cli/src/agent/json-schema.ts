import { Agent, ConfigFile, WorkflowFile } from '@parley/contracts'
import { z } from 'zod'

const SCHEMAS = {
  agent: { schema: Agent, title: 'A Parley agent (.agent.yaml)' },
  config: { schema: ConfigFile, title: 'Parley config (config.toml, workspace.toml, project.toml)' },
  workflow: { schema: WorkflowFile, title: 'A workflow (.relavium.yaml)' },
} as const

type JsonSchemaName = keyof typeof SCHEMAS

export const JSON_SCHEMA_NAMES = Object.keys(SCHEMAS) as JsonSchemaName[]

export function createJsonSchema(file: JsonSchemaName): string {
  const { schema, title } = SCHEMAS[file]
  return `${JSON.stringify({ title, ...z.toJSONSchema(schema, { io: 'input' }) }, undefined, 2)}\n`
}
