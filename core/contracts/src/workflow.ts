import { z } from 'zod'
import { Agent } from './agent.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { OnExceed } from './config-file.ts'
import { Json } from './json.ts'
import { strictObject } from './strict-object.ts'
import { NodeId, WorkflowNode } from './workflow-node.ts'

/** What `{{inputs.…}}` and `{{ctx.…}}` can name. */
const Name = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'letters, digits, hyphens and underscores')

const WorkflowInput = strictObject({
  name: Name,
  type: z.enum(['string', 'number', 'boolean', 'file_path', 'code_diff', 'secret']),
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  description: z.string().optional(),
})

const ToolPolicy = strictObject({
  allowedCommands: z.array(z.string()).optional(),
  allowedCommandGlobs: z.array(z.string()).optional(),
  allowedDomains: z.array(z.string()).optional(),
})

/** A graph of nodes that agents, people and expressions work through. No default is filled in: it stays as it was written. */
export const WorkflowDefinition = strictObject({
  id: kebabIdSchema,
  version: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** Free, and kept; an exported session's transcript is under `relaviumExport`. */
  metadata: z.record(z.string(), Json).optional(),
  trigger: strictObject({ type: z.enum(['manual']) }).optional(),
  inputs: z.array(WorkflowInput).optional(),
  context: z.array(strictObject({ key: Name, value: z.string() })).optional(),
  /** Without any, each `agent_ref` names an agent that whoever runs the file knows. */
  agents: z.array(Agent).optional(),
  tools: ToolPolicy.optional(),
  budget: strictObject({
    max_cost_microcents: z.int().positive(),
    on_exceed: OnExceed.optional(),
  }).optional(),
  timeout_ms: z.int().positive().optional(),
  max_parallel: z.int().positive().optional(),
  nodes: z.array(WorkflowNode),
  edges: z.array(strictObject({ from: NodeId, to: NodeId })),
})
export type WorkflowDefinition = z.infer<typeof WorkflowDefinition>

/** What a `.relavium.yaml` file holds. */
export const WorkflowFile = strictObject({
  schema_version: z.literal('1.0', { error: `the version of the format is written as '1.0', in quotes` }),
  workflow: WorkflowDefinition,
})
export type WorkflowFile = z.infer<typeof WorkflowFile>
