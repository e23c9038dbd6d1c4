import { z } from 'zod'

export const ResumeOptions = z.object({
  agent: z.string().optional(),
  continue: z.boolean().default(false),
  file: z.array(z.string()).default([]),
  latest: z.boolean().default(false),
  message: z.string().optional(),
  model: z.string().optional(),
})
export type ResumeOptions = z.infer<typeof ResumeOptions>
