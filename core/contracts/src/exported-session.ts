import { z } from 'zod'
import { WorkflowDefinition } from './workflow.ts'

/** A session as a workflow: the file, and what stands in it. */
export const ExportedWorkflow = z.object({
  fileName: z.string(),
  /** The file's bytes, as text. */
  yaml: z.string(),
  workflow: WorkflowDefinition,
})
export type ExportedWorkflow = z.infer<typeof ExportedWorkflow>
