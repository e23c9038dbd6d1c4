import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenSession } from '../open-session.ts'
import { NodeList } from './node-list.tsx'
import { YamlView } from './yaml-view.tsx'
import { workflowGraph } from './workflow-graph.ts'

/** Fetched when it is to be drawn: it is the largest part of the console. */
const WorkflowDrawing = lazyRouteComponent(() => import('./workflow-drawing.tsx'), 'WorkflowDrawing')

/** The session as a workflow that can be run elsewhere: drawn, listed, and as the file itself. */
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
  const graph = useMemo(() => exported.data && workflowGraph(exported.data.workflow), [exported.data])
  return (
    <PageBody width="wide">
      <p className="text-soft max-w-prose text-sm leading-6">
        A session can be taken along as a workflow: each answered question becomes a step that an agent takes
        again. The transcript goes with it, secrets do not.
      </p>
      {exported.isPending && <p className="animate-late text-soft text-sm">Writing the workflow…</p>}
      {exported.error && (
        <Notice action={<Button onClick={() => void exported.refetch()}>Try again</Button>}>
          {messageOf(exported.error)}
        </Notice>
      )}
      {exported.data && graph && (
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
          <Section title="Drawn">
            <div className="border-line h-[min(32rem,60dvh)] border">
              <Suspense fallback={<p className="animate-late text-soft p-4 text-sm">Drawing…</p>}>
                <WorkflowDrawing graph={graph} chosen={chosen} onChoose={setChosen} />
              </Suspense>
            </div>
            <NodeList graph={graph} chosen={chosen} onChoose={setChosen} />
          </Section>
          <Section title="The file">
            <YamlView exported={exported.data} sessionId={sessionId} />
          </Section>
        </div>
      )}
    </PageBody>
  )
}
