import { z } from 'zod'
import type { Agent } from './agent.ts'
import { issueInWords } from './issue-in-words.ts'
import type { Json } from './json.ts'

type JsonSchema = Readonly<Record<string, Json>>

/** What is wrong with a value by a JSON Schema, each with its path; nothing where the value fits. */
export function jsonFlaws(
  value: unknown,
  schema: JsonSchema,
): readonly { readonly path: string; readonly message: string }[] {
  const { error } = compiled(schema).safeParse(value)
  return (error?.issues ?? []).map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issueInWords(issue),
  }))
}

const SCHEMAS = ['input_schema', 'output_schema'] as const

/** Which schemas of an agent cannot be used, and why. It is no part of `WrittenAgent`, whose readers need no compiler of schemas. */
export const agentSchemaFlaws = (agent: Agent) =>
  SCHEMAS.flatMap((key) => {
    const message = agent[key] && jsonSchemaFlaw(agent[key])
    return message === undefined ? [] : [{ path: [key], message }]
  })

function jsonSchemaFlaw(schema: JsonSchema): string | undefined {
  try {
    compiled(schema)
    return undefined
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure)
    return `is not a JSON Schema that Parley can check: ${why}`
  }
}

/** A schema that lists properties means objects, even where it does not say so. */
function compiled(schema: JsonSchema): z.ZodType {
  const isImplied = 'properties' in schema && !('type' in schema)
  return z.fromJSONSchema(isImplied ? { ...schema, type: 'object' } : schema)
}
