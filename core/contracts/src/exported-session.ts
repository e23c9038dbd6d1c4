import { z } from 'zod'
import { Agent } from './agent.ts'
import { Json } from './json.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { nearest } from './nearest.ts'
import { OnExceed } from './session-context.ts'
import { strictObject } from './strict-object.ts'

/** Kebab case is the custom; whatever can stand in `run.outputs["…"]` is taken. */
const NodeId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]*$/, 'letters, digits, hyphens and underscores')

const Milliseconds = z.int().positive()
/** JavaScript over `run.outputs`, `inputs` and `ctx`. */
const Expression = z.string().min(1)
/** Text in which `{{…}}` is interpolated. */
const Template = z.string()

const { model, temperature, max_tokens, output_schema, retry } = Agent.shape

/** Where a run enters: it gives out the run's inputs. */
const InputNode = strictObject({ id: NodeId, type: z.literal('input') })

const AgentNode = strictObject({
  id: NodeId,
  type: z.literal('agent'),
  agent_ref: z.string().min(1).max(200),
  prompt_template: Template.optional(),
  /** Narrows the agent's tools, never widens them. */
  tools: z.array(z.string().min(1)).optional(),
  system_prompt_append: Template.optional(),
  model: model.optional(),
  temperature,
  max_tokens,
  output_schema,
  timeout_ms: Milliseconds.optional(),
  retry,
})

/** The run waits here for a person. */
const HumanGateNode = strictObject({
  id: NodeId,
  type: z.literal('human_gate'),
  gate_type: z.enum(['approval', 'input', 'review']),
  assignee: Template.optional(),
  message_template: Template.optional(),
  timeout_ms: Milliseconds.optional(),
  timeout_action: z.enum(['reject', 'approve']).optional(),
})

/** Goes on with the branch whose `when` strictly equals what the expression gives, else with `default`. */
const ConditionNode = strictObject({
  id: NodeId,
  type: z.literal('condition'),
  expression: Expression,
  branches: z
    .array(strictObject({ when: z.union([z.boolean(), z.string(), z.number()]), target_node: NodeId }))
    .min(1),
  default: NodeId.optional(),
})

const TransformNode = strictObject({ id: NodeId, type: z.literal('transform'), transform: Expression })

/** Its branches run at the same time; they need no edges of their own. */
const ParallelNode = strictObject({
  id: NodeId,
  type: z.literal('parallel'),
  parallel_of: z.array(NodeId).min(1),
})

/** Makes one output of those of the branches, in the order of `parallel_of`. */
const MergeNode = strictObject({
  id: NodeId,
  type: z.literal('merge'),
  merge_strategy: z.enum(['concat', 'object_merge', 'first', 'custom']),
  /** Needed where the strategy is `custom`. */
  merge_fn: Expression.optional(),
})

const OutputNode = strictObject({
  id: NodeId,
  type: z.literal('output'),
  output_format: z.string().min(1).optional(),
  save_to: z.string().min(1).optional(),
})

const NODES = [
  InputNode,
  AgentNode,
  HumanGateNode,
  ConditionNode,
  TransformNode,
  ParallelNode,
  MergeNode,
  OutputNode,
] as const

const TYPES = NODES.flatMap(({ shape }) => [...shape.type.values])

export const WorkflowNode = z.discriminatedUnion('type', NODES, {
  error: ({ code, input }) => (code === 'invalid_union' ? unknownType(input) : undefined),
})
export type WorkflowNode = z.infer<typeof WorkflowNode>

function unknownType(node: unknown): string {
  const given = typeof node === 'object' && node !== null && 'type' in node ? node.type : undefined
  const meant = typeof given === 'string' && given.length <= 64 ? nearest(given, TYPES) : undefined
  return meant === undefined ? `the type is one of ${TYPES.join(', ')}` : `did you mean the type "${meant}"?`
}

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

/** A session as a workflow: the file, and what stands in it. */
export const ExportedWorkflow = z.object({
  fileName: z.string(),
  /** The file's bytes, as text. */
  yaml: z.string(),
  workflow: WorkflowDefinition,
})
export type ExportedWorkflow = z.infer<typeof ExportedWorkflow>
