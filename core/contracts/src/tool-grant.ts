import { z } from 'zod'

/** What a person allowed for the rest of a session: this tool on this target, and nothing wider. */
export const ToolGrant = z.object({
  tool: z.string(),
  target: z.string(),
  /** What the target has to look like still, such as the hash of a foreign tool's schema. */
  pin: z.string().optional(),
})
export type ToolGrant = z.infer<typeof ToolGrant>
