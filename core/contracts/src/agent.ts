import { z } from 'zod'
import { kebabIdSchema } from './ids.ts'
import { Json } from './json.ts'
import { NamedMcpServer } from './mcp-server.ts'
import { strictObject } from './strict-object.ts'
import { findToolNameProblem } from './tool-input.ts'

/** How much of a session's earlier turns the model gets; by default, as much as fits. */
export const AgentMemory = z.discriminatedUnion('type', [
  /** None: each message is independent. */
  strictObject({ type: z.literal('none') }),
  /** The last turns. */
  strictObject({ type: z.literal('window'), window_size: z.int().min(1).max(1_000) }),
  /** All turns, with a summary of the older ones. */
  strictObject({ type: z.literal('summary') }),
])
export type AgentMemory = z.infer<typeof AgentMemory>

const ModelName = z.string().min(1).max(200)
const ProviderName = z.string().min(1).max(64)
const Names = z.array(z.string().min(1).max(200)).max(200)

const MAX_JSON_LENGTH = 65_536
const DEEPEST_JSON = 32

const JsonObject = z
  .record(z.string(), Json)
  .refine(
    (value) => isNestedAtMost(value, DEEPEST_JSON) && JSON.stringify(value).length <= MAX_JSON_LENGTH,
    `at most ${MAX_JSON_LENGTH} characters of JSON, nested at most ${DEEPEST_JSON} deep`,
  )

/** The content of an `.agent.yaml` file. A session keeps a copy from its start. */
export const Agent = strictObject({
  id: kebabIdSchema,
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
  /** Names from the person's config, or complete definitions. */
  mcp_servers: z
    .array(z.union([z.string().min(1).max(200), NamedMcpServer]))
    .max(50)
    .optional(),
  memory: AgentMemory.optional(),
  retry: strictObject({ max_attempts: z.int().min(1).max(10) }).optional(),
  fallback_chain: z
    .array(strictObject({ provider: ProviderName, model: ModelName }))
    .max(10)
    .optional(),
})
export type Agent = z.infer<typeof Agent>

/** An agent as a person writes it: refused if it names unknown tools. */
export const WrittenAgent = Agent.superRefine(({ tools = [] }, context) => {
  for (const [index, name] of tools.entries()) {
    const message = findToolNameProblem(name)
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['tools', index], message })
  }
})

function isNestedAtMost(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isNestedAtMost(inner, levels - 1))
}
