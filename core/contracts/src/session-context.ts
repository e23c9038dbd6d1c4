import { z } from 'zod'

export const FsScopeTier = z.enum(['sandboxed', 'project', 'full'])
export type FsScopeTier = z.infer<typeof FsScopeTier>

/** The situation a session runs in. Plain text, echoed in `session:started`: never holds a secret. */
export const SessionContext = z.strictObject({
  workingDir: z.string().min(1),
  activeFile: z.string().optional(),
  selection: z
    .strictObject({ file: z.string(), startLine: z.int().positive(), endLine: z.int().positive() })
    .optional(),
  gitRef: z.string().optional(),
  fsScopeTier: FsScopeTier.default('sandboxed'),
  variables: z.record(z.string(), z.string()).optional(),
})
export type SessionContext = z.infer<typeof SessionContext>
