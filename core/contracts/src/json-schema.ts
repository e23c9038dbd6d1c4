import { z } from 'zod'
import type { Agent } from './agent.ts'
import { formatIssue } from './format-issue.ts'
import type { Json } from './json.ts'

type JsonSchema = Readonly<Record<string, Json>>

export interface JsonProblem {
  readonly code: z.core.$ZodIssue['code']
  /** Empty for the value itself. */
  readonly path: string
  readonly message: string
}

/** Lists how a value violates a JSON Schema; empty if the value is valid. */
export function findJsonProblems(value: unknown, schema: JsonSchema): readonly JsonProblem[] {
  const { error } = compileSchema(schema).safeParse(value)
  return (error?.issues ?? []).map((issue) => ({
    code: issue.code,
    path: issue.path.map(String).join('.'),
    message: formatIssue(issue),
  }))
}

const SCHEMAS = ['input_schema', 'output_schema'] as const

/** Lists an agent's invalid schemas. Not part of `WrittenAgent`, so the console loads no schema compiler. */
export const findAgentSchemaProblems = (agent: Agent) =>
  SCHEMAS.flatMap((key) => {
    const message = agent[key] && findSchemaProblem(agent[key])
    return message === undefined ? [] : [{ path: [key], message }]
  })

function findSchemaProblem(schema: JsonSchema): string | undefined {
  try {
    compileSchema(schema)
    return undefined
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure)
    return `is not a JSON Schema that Parley can check: ${reason}`
  }
}

/** A schema with properties means objects, even without a type. */
function compileSchema(schema: JsonSchema): z.ZodType {
  const isImplied = 'properties' in schema && !('type' in schema)
  return z.fromJSONSchema(isImplied ? { ...schema, type: 'object' } : schema)
}
