import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import type { ExportedWorkflow, SessionId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button, LINK_BUTTON } from '../../ui/button.tsx'
import { Notice, ErrorNotice, Status } from '../../ui/notice.tsx'
import { Intro, PageBody, Section } from '../../ui/page-body.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { Aside } from '../message-view.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import { useOpenSession } from '../open-session.ts'
import { KINDS, type WorkflowGraph, createWorkflowGraph } from './workflow-graph.ts'
import { Loading } from '../../ui/query-state.tsx'

/** Loaded on demand: the largest chunk of the console. */
const WorkflowDrawing = lazyRouteComponent(() => import('./workflow-drawing.tsx'), 'WorkflowDrawing')

export function ExportPage() {
  const { client } = useConsoleHost()
  const { sessionId, messageCount } = useOpenSession().open.session
  const exported = useQuery({
    queryKey: ['exported', sessionId, messageCount],
    queryFn: () => client.sessions.exported(sessionId),
    staleTime: Infinity,
    retry: false,
  })
  const [chosen, setChosen] = useState<string>()
  const graph = useMemo(() => exported.data && createWorkflowGraph(exported.data.workflow), [exported.data])
  return (
    <PageBody width="wide">
      <Intro>
        Export the session as a workflow. Each answered question becomes an agent step. The file includes the
        transcript, but no secrets.
      </Intro>
      {exported.isPending && <Loading>Creating the workflow…</Loading>}
      {exported.error && <ErrorNotice error={exported.error} retry={exported.refetch} />}
      {exported.data && graph && (
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
          <Section title="Diagram">
            <div className="border-line h-[min(32rem,60dvh)] border">
              <Suspense fallback={<Loading className="p-4">Drawing…</Loading>}>
                <WorkflowDrawing graph={graph} chosen={chosen} onChoose={setChosen} />
              </Suspense>
            </div>
            <NodeList graph={graph} chosen={chosen} onChoose={setChosen} />
          </Section>
          <Section title="File">
            <YamlView exported={exported.data} sessionId={sessionId} />
          </Section>
        </div>
      )}
    </PageBody>
  )
}

interface NodeListProps {
  readonly graph: WorkflowGraph
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

/** Longer lists are only in the file. */
const MAX_NODES = 200

/** The diagram as a list, for screen readers and keyboards. */
function NodeList({ graph: { nodes, edges }, chosen, onChoose }: NodeListProps) {
  const after = Map.groupBy(edges, ({ from }) => from)
  return (
    <Aside summary={`${nodes.length.toLocaleString()} nodes, as a list`}>
      <ol aria-label="Nodes" className="flex flex-col">
        {nodes.slice(0, MAX_NODES).map(({ id, type, summary }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === chosen}
              onClick={() => onChoose(id)}
              className="hover:text-ink aria-pressed:text-accent flex w-full flex-wrap gap-x-3 py-1 text-start max-sm:min-h-11"
            >
              <span className="font-mono text-xs leading-6">{id}</span>
              <span>{KINDS[type]}</span>
              {summary !== '' && <span className="text-ink min-w-0 truncate">{summary}</span>}
              <span className="text-xs leading-6">{listEdges(after.get(id) ?? [])}</span>
            </button>
          </li>
        ))}
      </ol>
      {nodes.length > MAX_NODES && (
        <p>The other {(nodes.length - MAX_NODES).toLocaleString()} are in the file.</p>
      )}
    </Aside>
  )
}

const listEdges = (edges: WorkflowGraph['edges']): string =>
  edges.length === 0
    ? ''
    : `then ${edges.map(({ to, when }) => (when === undefined ? to : `${to} (${when})`)).join(', ')}`

interface YamlViewProps {
  readonly exported: ExportedWorkflow
  readonly sessionId: SessionId
}

/** More text would slow the page; the file has everything. */
const SHOWN_LENGTH = 100_000

function YamlView({ exported: { fileName, yaml }, sessionId }: YamlViewProps) {
  const { result, copy } = useCopy(yaml)
  const isCut = yaml.length > SHOWN_LENGTH
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <a
          href={`/v1/sessions/${encodeURIComponent(sessionId)}/export`}
          download={fileName}
          className={LINK_BUTTON.primary}
        >
          Download {fileName}
        </a>
        <Button onClick={() => void copy()}>Copy</Button>
        <Status>{result === 'copied' && 'Copied.'}</Status>
      </div>
      {result === 'refused' && (
        <Notice>Your browser blocked copying. Download the file, or select the text and copy it.</Notice>
      )}
      <CodeBox label={fileName} className="max-h-[32rem] px-2.5">
        {yaml.slice(0, SHOWN_LENGTH)}
      </CodeBox>
      {isCut && <p className="text-soft text-sm">This is the beginning; the file has all of it.</p>}
    </>
  )
}
