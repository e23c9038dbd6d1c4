import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOutGraph } from './workflow-drawing.tsx'
import type { WorkflowGraph } from './workflow-graph.ts'

const graph = (ids: readonly string[], ...ways: readonly (readonly [string, string])[]): WorkflowGraph => ({
  nodes: ids.map((id) => ({ id, type: 'transform', summary: '' })),
  edges: ways.map(([from, to]) => ({ from, to })),
})

const rows = (given: WorkflowGraph) =>
  Object.fromEntries([...layOutGraph(given)].map(([id, { y }]) => [id, y / 120]))

test.each<[string, WorkflowGraph, Record<string, number>]>([
  ['a chain goes down', graph(['a', 'b', 'c'], ['a', 'b'], ['b', 'c']), { a: 0, b: 1, c: 2 }],
  [
    'branches are side by side',
    graph(['a', 'b', 'c', 'd'], ['a', 'b'], ['a', 'c'], ['b', 'd'], ['c', 'd']),
    { a: 0, b: 1, c: 1, d: 2 },
  ],
  [
    'a merge is below the longest branch',
    graph(['a', 'b', 'c'], ['a', 'c'], ['a', 'b'], ['b', 'c']),
    { a: 0, b: 1, c: 2 },
  ],
  ['a back edge is ignored', graph(['a', 'b'], ['a', 'b'], ['b', 'a']), { a: 0, b: 1 }],
  ['an edge to a missing node is ignored', graph(['a'], ['a', 'z'], ['z', 'a'], ['a', 'a']), { a: 0 }],
  ['nothing', graph([]), {}],
])('%s', (_, given, expected) => {
  expect(rows(given)).toEqual(expected)
})

test('nodes of a row are centred in order', () => {
  const places = layOutGraph(graph(['a', 'b', 'c'], ['a', 'b'], ['a', 'c']))
  expect(places.get('b')?.x).toBe(-150)
  expect(places.get('c')?.x).toBe(150)
})

test('every node has its own position in any graph', () => {
  const names = fc.integer({ min: 0, max: 11 }).map((n) => `n${n}`)
  fc.assert(
    fc.property(fc.uniqueArray(names), fc.array(fc.tuple(names, names)), (ids, ways) => {
      const places = layOutGraph(graph(ids, ...ways))
      expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(ids.length)
    }),
  )
})

test('a session of thousands of turns is laid out', () => {
  const ids = Array.from({ length: 5_000 }, (_, n) => `n${n}`)
  const places = layOutGraph(graph(ids, ...ids.slice(1).map((id, n) => [`n${n}`, id] as const)))
  expect(places.get('n4999')?.y).toBe(4_999 * 120)
})
