import { z } from 'zod'
import { Json } from './json.ts'

export const KebabId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens')

const ModelName = z.string().min(1).max(200)

/** What an `.agent.yaml` file holds, and what is frozen into a session at its start. */
export const Agent = z.strictObject({
  id: KebabId,
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(2_000).optional(),
  model: ModelName,
  provider: z.string().min(1).max(64),
  system_prompt: z.string().default(''),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().positive().optional(),
  reasoning_effort: z.enum(['low', 'medium', 'high']).optional(),
  input_schema: z.record(z.string(), Json).optional(),
  output_schema: z.record(z.string(), Json).optional(),
  tools: z.array(z.string()).optional(),
  mcp_servers: z.array(z.string()).optional(),
  memory: z.record(z.string(), Json).optional(),
  retry: z.strictObject({ max_attempts: z.int().min(1).max(10) }).optional(),
  fallback_chain: z.array(z.strictObject({ provider: z.string(), model: ModelName })).optional(),
})
export type Agent = z.infer<typeof Agent>
