import { Background, Controls, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
// oxlint-disable-next-line import/no-unassigned-import -- imported for its side effect
import './workflow-drawing.css'
import { type GraphNode, KINDS, type WorkflowGraph } from './workflow-graph.ts'

interface WorkflowDrawingProps {
  readonly graph: WorkflowGraph
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

type DrawnNode = Node<GraphNode & { readonly [name: string]: unknown }, 'step'>

/** The workflow diagram. The node list has the same content. */
export function WorkflowDrawing({ graph, chosen, onChoose }: WorkflowDrawingProps) {
  const places = useMemo(() => layOutGraph(graph), [graph])
  const nodes = useMemo(
    () =>
      graph.nodes.map((node): DrawnNode => ({
        id: node.id,
        type: 'step',
        position: places.get(node.id) ?? { x: 0, y: 0 },
        data: { ...node },
        selected: node.id === chosen,
        ariaLabel: `${node.id}: ${KINDS[node.type]}`,
      })),
    [graph, places, chosen],
  )
  const edges = useMemo(
    () =>
      graph.edges.map(({ from, to, when }, index) => ({
        id: String(index),
        source: from,
        target: to,
        ...(when !== undefined && { label: when }),
      })),
    [graph],
  )
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodeClick={(_, { id }) => onChoose(id)}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      onlyRenderVisibleElements
      fitView
      fitViewOptions={{ minZoom: 0.6, maxZoom: 1 }}
      minZoom={0.05}
      aria-label="Workflow diagram"
    >
      <Background gap={24} />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}

function StepNode({ data, selected }: NodeProps<DrawnNode>) {
  return (
    <div
      className={`bg-paper w-64 rounded-md border px-3 py-2 text-start ${selected ? 'border-accent' : 'border-edge'}`}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <p className="flex items-baseline justify-between gap-2 text-xs">
        <span className="truncate font-mono">{data.id}</span>
        <span className="text-soft shrink-0">{KINDS[data.type]}</span>
      </p>
      {data.summary !== '' && (
        <p className="mt-1 line-clamp-2 font-serif text-sm wrap-anywhere">{data.summary}</p>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

const NODE_TYPES = { step: StepNode }

interface NodePosition {
  readonly x: number
  readonly y: number
}

/** The size of a node with its margin. */
const NODE_SPACE = { width: 300, height: 120 } as const

/**
 * Positions nodes in rows: each node is one row below its last predecessor, in order. Back edges are ignored.
 */
export function layOutGraph({ nodes, edges }: WorkflowGraph): ReadonlyMap<string, NodePosition> {
  const rowOf = assignRows(
    nodes.map(({ id }) => id),
    edges,
  )
  const inRow = new Map<number, string[]>()
  for (const { id } of nodes) {
    const row = rowOf.get(id) ?? 0
    inRow.set(row, [...(inRow.get(row) ?? []), id])
  }
  const places = new Map<string, NodePosition>()
  for (const [row, ids] of inRow) {
    const left = (-(ids.length - 1) * NODE_SPACE.width) / 2
    ids.forEach((id, at) => places.set(id, { x: left + at * NODE_SPACE.width, y: row * NODE_SPACE.height }))
  }
  return places
}

type GraphEdges = WorkflowGraph['edges']

/** Topological sort; in a pure cycle the first node starts. */
function assignRows(ids: readonly string[], edges: GraphEdges): ReadonlyMap<string, number> {
  const nodeIds = new Set(ids)
  const after = new Map<string, string[]>()
  const waiting = new Map(ids.map((id) => [id, 0]))
  for (const { from, to } of edges) {
    if (!nodeIds.has(from) || !nodeIds.has(to) || from === to) continue
    after.set(from, [...(after.get(from) ?? []), to])
    waiting.set(to, (waiting.get(to) ?? 0) + 1)
  }
  const rows = new Map<string, number>()
  const ready = ids.filter((id) => waiting.get(id) === 0)
  const reached = new Map<string, number>()
  for (;;) {
    const id = ready.shift() ?? ids.find((one) => !rows.has(one))
    if (id === undefined) return rows
    if (rows.has(id)) continue
    const row = reached.get(id) ?? 0
    rows.set(id, row)
    for (const to of after.get(id) ?? []) {
      if (rows.has(to)) continue
      reached.set(to, Math.max(reached.get(to) ?? 0, row + 1))
      waiting.set(to, (waiting.get(to) ?? 0) - 1)
      if (waiting.get(to) === 0) ready.push(to)
    }
  }
}
