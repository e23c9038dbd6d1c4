import { z } from 'zod'
import { Agent } from './agent.ts'
import { kebabIdSchema } from './ids.ts'
import { Json } from './json.ts'
import { OnExceed } from './session.ts'
import { findNearest, strictObject } from './strict-object.ts'

/** Usually in kebab case; any name that works in `run.outputs["…"]` is accepted. */
const NodeId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]*$/, 'letters, digits, hyphens and underscores')

const Milliseconds = z.int().positive()
/** A JavaScript expression with `run.outputs`, `inputs` and `ctx`. */
const Expression = z.string().min(1)
/** Text with `{{…}}` placeholders. */
const Template = z.string()

const { model, temperature, max_tokens, output_schema, retry } = Agent.shape

/** The start of a run; its output is the run's inputs. */
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

/** Continues with the branch whose `when` strictly equals the expression's value, otherwise with `default`. */
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

/** Its branches run in parallel and need no edges. */
const ParallelNode = strictObject({
  id: NodeId,
  type: z.literal('parallel'),
  parallel_of: z.array(NodeId).min(1),
})

/** Merges the outputs of the branches, in the order of `parallel_of`. */
const MergeNode = strictObject({
  id: NodeId,
  type: z.literal('merge'),
  merge_strategy: z.enum(['concat', 'object_merge', 'first', 'custom']),
  /** Required for the strategy `custom`. */
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
  error: ({ code, input }) => (code === 'invalid_union' ? describeUnknownType(input) : undefined),
})
export type WorkflowNode = z.infer<typeof WorkflowNode>

function describeUnknownType(node: unknown): string {
  const given = typeof node === 'object' && node !== null && 'type' in node ? node.type : undefined
  const meant = typeof given === 'string' && given.length <= 64 ? findNearest(given, TYPES) : undefined
  return meant === undefined ? `the type is one of ${TYPES.join(', ')}` : `did you mean the type "${meant}"?`
}

/** The names in `{{inputs.…}}` and `{{ctx.…}}`. */
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

/** A graph of nodes for agents, people and expressions. No defaults are filled in, so it stays as written. */
export const WorkflowDefinition = strictObject({
  id: kebabIdSchema,
  version: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** Free-form; an exported session has its transcript under `relaviumExport`. */
  metadata: z.record(z.string(), Json).optional(),
  trigger: strictObject({ type: z.enum(['manual']) }).optional(),
  inputs: z.array(WorkflowInput).optional(),
  context: z.array(strictObject({ key: Name, value: z.string() })).optional(),
  /** If absent, `agent_ref` names agents of the runner. */
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

/** The content of a `.relavium.yaml` file. */
export const WorkflowFile = strictObject({
  schema_version: z.literal('1.0', { error: `the version of the format is written as '1.0', in quotes` }),
  workflow: WorkflowDefinition,
})
export type WorkflowFile = z.infer<typeof WorkflowFile>

/** A session as a workflow: the file and its parsed content. */
export const ExportedWorkflow = z.object({
  fileName: z.string(),
  /** The text of the file. */
  yaml: z.string(),
  workflow: WorkflowDefinition,
})
export type ExportedWorkflow = z.infer<typeof ExportedWorkflow>
