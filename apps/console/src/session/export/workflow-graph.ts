import type { WorkflowDefinition, WorkflowNode } from '@parley/contracts'
import { cutText } from '../../ui/format.ts'

export interface GraphNode {
  readonly id: string
  readonly type: WorkflowNode['type']
  /** A short description; empty if the kind says everything. */
  readonly summary: string
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /** The condition of a branch. */
  readonly when?: string
}

export interface WorkflowGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export function createWorkflowGraph({
  nodes,
  edges,
}: Pick<WorkflowDefinition, 'nodes' | 'edges'>): WorkflowGraph {
  const all: readonly GraphEdge[] = [...edges, ...nodes.flatMap(listNamedEdges)]
  const edgeNames = new Set<string>()
  return {
    nodes: nodes.map((node) => ({ id: node.id, type: node.type, summary: summarizeNode(node) })),
    edges: all.filter(({ from, to, when = '' }) => {
      const name = [from, to, when].join('\n')
      return !edgeNames.has(name) && edgeNames.add(name)
    }),
  }
}

function listNamedEdges(node: WorkflowNode): readonly GraphEdge[] {
  if (node.type === 'parallel') return node.parallel_of.map((to) => ({ from: node.id, to }))
  if (node.type !== 'condition') return []
  return [
    ...node.branches.map(({ when, target_node }) => ({ from: node.id, to: target_node, when: String(when) })),
    ...(node.default === undefined ? [] : [{ from: node.id, to: node.default, when: 'otherwise' }]),
  ]
}

const MAX_LENGTH = 90

const summarizeNode = (node: WorkflowNode): string =>
  cutText(describeNode(node).replace(/\s+/g, ' ').trim(), MAX_LENGTH)

function describeNode(node: WorkflowNode): string {
  switch (node.type) {
    case 'agent':
      return node.prompt_template ?? node.agent_ref
    case 'human_gate':
      return node.message_template ?? node.gate_type
    case 'condition':
      return node.expression
    case 'transform':
      return node.transform
    case 'merge':
      return node.merge_strategy
    case 'output':
      return node.save_to ?? node.output_format ?? ''
    case 'input':
    case 'parallel':
      return ''
    default:
      return node satisfies never
  }
}

export const KINDS: Readonly<Record<WorkflowNode['type'], string>> = {
  input: 'start',
  agent: 'agent step',
  human_gate: 'human approval',
  condition: 'condition',
  transform: 'transform',
  parallel: 'parallel',
  merge: 'merge',
  output: 'end',
}
