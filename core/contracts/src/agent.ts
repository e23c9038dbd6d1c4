import { z } from 'zod'
import { Json } from './json.ts'
import { KebabId } from './kebab-id.ts'
import { NamedMcpServer } from './mcp-server.ts'
import { strictObject } from './strict-object.ts'

const ModelName = z.string().min(1).max(200)
const ProviderName = z.string().min(1).max(64)
const Names = z.array(z.string().min(1).max(200)).max(200)

const LONGEST_JSON = 65_536
const DEEPEST_JSON = 32

const JsonObject = z
  .record(z.string(), Json)
  .refine(
    (value) => isWithin(value, DEEPEST_JSON) && JSON.stringify(value).length <= LONGEST_JSON,
    `at most ${LONGEST_JSON} characters of JSON, nested at most ${DEEPEST_JSON} deep`,
  )

/** What an `.agent.yaml` file holds, and what is frozen into a session at its start. */
export const Agent = strictObject({
  id: KebabId,
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(2_000).optional(),
  model: ModelName,
  provider: ProviderName,
  system_prompt: z.string().max(200_000).default(''),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().positive().optional(),
  reasoning_effort: z.enum(['low', 'medium', 'high']).optional(),
  input_schema: JsonObject.optional(),
  output_schema: JsonObject.optional(),
  tools: Names.optional(),
  /** By the name that the person's config has for them, or brought along. */
  mcp_servers: z
    .array(z.union([z.string().min(1).max(200), NamedMcpServer]))
    .max(50)
    .optional(),
  memory: JsonObject.optional(),
  retry: strictObject({ max_attempts: z.int().min(1).max(10) }).optional(),
  fallback_chain: z
    .array(strictObject({ provider: ProviderName, model: ModelName }))
    .max(10)
    .optional(),
})
export type Agent = z.infer<typeof Agent>

function isWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1))
}
