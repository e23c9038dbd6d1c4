import { type WorkflowDefinition, WorkflowFile, type WorkflowNode, findNearest } from '@parley/contracts'
import { type ValueProblem, parseStrictYaml } from '../files/parse-strict-yaml.ts'

// An exported session of 10,000 long turns is about as long.
const LONGEST = 64_000_000

/** Parses the workflow of a `.relavium.yaml` file and checks that its graph can be run from input to end. */
export async function parseWorkflow(
  text: string,
  { file }: { readonly file: string },
): Promise<WorkflowDefinition> {
  const { workflow } = await parseStrictYaml(text, {
    file,
    schema: WorkflowFile,
    longest: LONGEST,
    check: ({ workflow: read }) =>
      findProblems(read).map(({ path, message }) => ({ path: ['workflow', ...path], message })),
  })
  return workflow
}

/** Problems of a workflow whose parts are each well formed. */
function findProblems(workflow: WorkflowDefinition): readonly ValueProblem[] {
  const names = [
    ...findDuplicateIds(workflow.nodes, 'nodes'),
    ...findDuplicateIds(workflow.agents ?? [], 'agents'),
    ...findInputProblems(workflow),
    ...findMergeProblems(workflow),
    ...findUnknownReferences(workflow),
  ]
  // With an unknown name, the path through the graph would be a guess.
  return names.length > 0 ? names : findPathProblems(workflow)
}

function findDuplicateIds(
  items: readonly { readonly id: string }[],
  of: 'nodes' | 'agents',
): readonly ValueProblem[] {
  const seen = new Set<string>()
  return items.flatMap(({ id }, index) => {
    if (seen.has(id)) return [{ path: [of, index, 'id'], message: `there are two ${of} "${id}"` }]
    seen.add(id)
    return []
  })
}

function findInputProblems({ nodes }: WorkflowDefinition): readonly ValueProblem[] {
  const inputs = nodes.flatMap(({ type }, index) => (type === 'input' ? [index] : []))
  if (inputs.length === 0) return [{ path: ['nodes'], message: 'there is no node of the type "input"' }]
  return inputs.slice(1).map((index) => ({
    path: ['nodes', index],
    message: 'there is another node of the type "input"; a workflow has one',
  }))
}

const findMergeProblems = ({ nodes }: WorkflowDefinition): readonly ValueProblem[] =>
  nodes.flatMap((node, index) =>
    node.type === 'merge' && node.merge_strategy === 'custom' && node.merge_fn === undefined
      ? [{ path: ['nodes', index], message: 'the strategy "custom" needs the key "merge_fn"' }]
      : [],
  )

interface NodeReference {
  readonly path: ValueProblem['path']
  readonly name: string
}

function findUnknownReferences(workflow: WorkflowDefinition): readonly ValueProblem[] {
  const { nodes, edges, agents } = workflow
  const toNodes: NodeReference[] = edges.flatMap(({ from, to }, index) => [
    { path: ['edges', index, 'from'], name: from },
    { path: ['edges', index, 'to'], name: to },
  ])
  const fromNodes = nodes.flatMap((node, index) =>
    listSuccessors(node).map(({ path, name }): NodeReference => ({ path: ['nodes', index, ...path], name })),
  )
  const toAgents = nodes.flatMap((node, index): NodeReference[] =>
    node.type === 'agent' ? [{ path: ['nodes', index, 'agent_ref'], name: node.agent_ref }] : [],
  )
  return [
    ...findUnknownNames([...toNodes, ...fromNodes], nodes, 'node'),
    ...(agents && agents.length > 0 ? findUnknownNames(toAgents, agents, 'agent') : []),
  ]
}

/** The successors that a node itself names. */
function listSuccessors(node: WorkflowNode): readonly NodeReference[] {
  if (node.type === 'parallel')
    return node.parallel_of.map((name, index) => ({ path: ['parallel_of', index], name }))
  if (node.type !== 'condition') return []
  const branches = node.branches.map(({ target_node: name }, index): NodeReference => ({
    path: ['branches', index, 'target_node'],
    name,
  }))
  return node.default === undefined ? branches : [...branches, { path: ['default'], name: node.default }]
}

// The search for a similar name takes time in proportion to the names.
const MAX_SUGGESTED = 3
const MAX_COMPARED = 5_000

function findUnknownNames(
  references: readonly NodeReference[],
  known: readonly { readonly id: string }[],
  kind: 'node' | 'agent',
): readonly ValueProblem[] {
  const ids = new Set(known.map(({ id }) => id))
  const candidates = [...ids].slice(0, MAX_COMPARED)
  return references
    .filter(({ name }) => !ids.has(name))
    .map(({ path, name }, index) => {
      const suggestion = index < MAX_SUGGESTED ? findNearest(name, candidates) : undefined
      const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
      return { path, message: `there is no ${kind} "${name}"${hint}` }
    })
}

function findPathProblems({ nodes, edges }: WorkflowDefinition): readonly ValueProblem[] {
  const next = new Map(nodes.map((node) => [node.id, listSuccessors(node).map(({ name }) => name)]))
  for (const { from, to } of edges) next.get(from)?.push(to)
  const placeOf = (id: string) => ['nodes', nodes.findIndex((node) => node.id === id), 'id']

  const cycle = findCycle(next)
  const [first] = cycle
  if (first !== undefined)
    return [{ path: placeOf(first), message: `these nodes form a cycle: ${formatCycle(cycle)}` }]

  const input = nodes.find(({ type }) => type === 'input')
  const reached = findReachable(input?.id, next)
  return nodes.flatMap(({ id }, index) =>
    reached.has(id) ? [] : [{ path: ['nodes', index, 'id'], message: `no edge leads to the node "${id}"` }],
  )
}

const formatCycle = (ids: readonly string[]): string =>
  ids.length <= 10 ? ids.join(' → ') : [...ids.slice(0, 5), '…', ...ids.slice(-4)].join(' → ')

/** The successors of each node. */
type Graph = ReadonlyMap<string, readonly string[]>

/** One cycle, from its start back to its start; empty if there is none. */
function findCycle(graph: Graph): readonly string[] {
  const done = new Set<string>()
  for (const start of graph.keys()) {
    // An explicit stack: a chain may be longer than the call stack is deep.
    const stack: { readonly id: string; taken: number }[] = []
    const onStack = new Set<string>()
    const enter = (id: string) => {
      stack.push({ id, taken: 0 })
      onStack.add(id)
    }
    if (!done.has(start)) enter(start)
    for (let here = stack.at(-1); here; here = stack.at(-1)) {
      const next = graph.get(here.id)?.[here.taken]
      here.taken += 1
      if (next === undefined) {
        done.add(here.id)
        onStack.delete(here.id)
        stack.pop()
      } else if (onStack.has(next)) {
        const ids = stack.map(({ id }) => id)
        return [...ids.slice(ids.indexOf(next)), next]
      } else if (!done.has(next)) enter(next)
    }
  }
  return []
}

function findReachable(start: string | undefined, graph: Graph): ReadonlySet<string> {
  const reached = new Set<string>(start === undefined ? [] : [start])
  // Iterating a set also visits elements added during the iteration.
  for (const id of reached) for (const next of graph.get(id) ?? []) reached.add(next)
  return reached
}
