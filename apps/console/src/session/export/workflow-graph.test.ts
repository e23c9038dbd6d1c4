import { WorkflowDefinition } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createWorkflowGraph } from './workflow-graph.ts'

const workflow = (nodes: readonly object[], edges: readonly object[] = []) =>
  WorkflowDefinition.parse({ id: 'letters', nodes, edges })

test('[S14] each node shows its kind and its action', () => {
  const { nodes, edges } = createWorkflowGraph(
    workflow(
      [
        { id: 'in', type: 'input' },
        { id: 'turn-1', type: 'agent', agent_ref: 'chat', prompt_template: 'Where is\n  the temple?' },
        { id: 'out', type: 'output' },
      ],
      [
        { from: 'in', to: 'turn-1' },
        { from: 'turn-1', to: 'out' },
      ],
    ),
  )
  expect(nodes).toEqual([
    { id: 'in', type: 'input', summary: '' },
    { id: 'turn-1', type: 'agent', summary: 'Where is the temple?' },
    { id: 'out', type: 'output', summary: '' },
  ])
  expect(edges).toHaveLength(2)
})

test('edges named by a node are drawn once', () => {
  const { edges } = createWorkflowGraph(
    workflow(
      [
        {
          id: 'c',
          type: 'condition',
          expression: 'inputs.x',
          branches: [{ when: true, target_node: 'p' }],
          default: 'a',
        },
        { id: 'p', type: 'parallel', parallel_of: ['a', 'b'] },
        { id: 'a', type: 'transform', transform: '1' },
        { id: 'b', type: 'transform', transform: '2' },
      ],
      [{ from: 'p', to: 'a' }],
    ),
  )
  expect(edges).toEqual([
    { from: 'p', to: 'a' },
    { from: 'c', to: 'p', when: 'true' },
    { from: 'c', to: 'a', when: 'otherwise' },
    { from: 'p', to: 'b' },
  ])
})
