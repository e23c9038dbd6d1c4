import { Aside } from '../aside.tsx'
import { KINDS } from './kinds.ts'
import type { WorkflowGraph } from './workflow-graph.ts'

interface NodeListProps {
  readonly graph: WorkflowGraph
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

/** More than these are in the file. */
const MOST = 200

/** The same as the drawing says, in words, for who does not see it or works by keys. */
export function NodeList({ graph: { nodes, edges }, chosen, onChoose }: NodeListProps) {
  const after = Map.groupBy(edges, ({ from }) => from)
  return (
    <Aside summary={`${nodes.length.toLocaleString()} nodes, as a list`}>
      <ol aria-label="Nodes" className="flex flex-col">
        {nodes.slice(0, MOST).map(({ id, type, gist }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === chosen}
              onClick={() => onChoose(id)}
              className="hover:text-ink aria-pressed:text-accent flex w-full flex-wrap gap-x-3 py-1 text-start max-sm:min-h-11"
            >
              <span className="font-mono text-xs leading-6">{id}</span>
              <span>{KINDS[type]}</span>
              {gist !== '' && <span className="text-ink min-w-0 truncate">{gist}</span>}
              <span className="text-xs leading-6">{waysOf(after.get(id) ?? [])}</span>
            </button>
          </li>
        ))}
      </ol>
      {nodes.length > MOST && <p>The other {(nodes.length - MOST).toLocaleString()} are in the file.</p>}
    </Aside>
  )
}

const waysOf = (edges: WorkflowGraph['edges']): string =>
  edges.length === 0
    ? ''
    : `then ${edges.map(({ to, when }) => (when === undefined ? to : `${to} (${when})`)).join(', ')}`
