import type { WorkflowGraph } from './workflow-graph.ts'

export interface Place {
  readonly x: number
  readonly y: number
}

/** The room that a node has, with what is kept free around it. */
const ROOM = { width: 300, height: 120 } as const

/**
 * Where each node stands: a row below the last of those that lead to it, and beside those of its row, in their order. A way
 * that leads back to where a run has been does not count.
 */
export function layOut({ nodes, edges }: WorkflowGraph): ReadonlyMap<string, Place> {
  const rowOf = rowsOf(
    nodes.map(({ id }) => id),
    edges,
  )
  const inRow = new Map<number, string[]>()
  for (const { id } of nodes) {
    const row = rowOf.get(id) ?? 0
    inRow.set(row, [...(inRow.get(row) ?? []), id])
  }
  const places = new Map<string, Place>()
  for (const [row, ids] of inRow) {
    const left = (-(ids.length - 1) * ROOM.width) / 2
    ids.forEach((id, at) => places.set(id, { x: left + at * ROOM.width, y: row * ROOM.height }))
  }
  return places
}

type Edges = WorkflowGraph['edges']

/** By taking away nodes that nothing is left to lead to; where only rounds are left, the first of them begins. */
function rowsOf(ids: readonly string[], edges: Edges): ReadonlyMap<string, number> {
  const known = new Set(ids)
  const after = new Map<string, string[]>()
  const waiting = new Map(ids.map((id) => [id, 0]))
  for (const { from, to } of edges) {
    if (!known.has(from) || !known.has(to) || from === to) continue
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
