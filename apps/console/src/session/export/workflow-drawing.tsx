import { Background, Controls, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
// oxlint-disable-next-line import/no-unassigned-import -- it is there for what it does
import './workflow-drawing.css'
import { KINDS } from './kinds.ts'
import { layOut } from './lay-out.ts'
import type { GraphNode, WorkflowGraph } from './workflow-graph.ts'

interface WorkflowDrawingProps {
  readonly graph: WorkflowGraph
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

type DrawnNode = Node<GraphNode & { readonly [name: string]: unknown }, 'step'>

/** The workflow as boxes and lines. All that it says is in the list of nodes too. */
export function WorkflowDrawing({ graph, chosen, onChoose }: WorkflowDrawingProps) {
  const places = useMemo(() => layOut(graph), [graph])
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
      aria-label="The workflow, drawn"
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
      {data.gist !== '' && <p className="mt-1 line-clamp-2 font-serif text-sm wrap-anywhere">{data.gist}</p>}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

const NODE_TYPES = { step: StepNode }
