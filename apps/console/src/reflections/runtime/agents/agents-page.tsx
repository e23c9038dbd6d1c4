import type { SurfaceStatus } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { PageBody, Section } from '../../../ui/page-body.tsx'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { ReadState } from '../read-state.tsx'
import { AgentTests } from './agent-tests.tsx'
import { DriftAudit } from './drift-audit.tsx'
import { SurfaceRow } from './surface-row.tsx'
import { useSync } from './use-sync.ts'

const LOOK_AGAIN_MS = 10_000

/** The agents that speak for a reflection at the voice provider: how they stand, and what can be done about it. */
export function AgentsPage() {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const surfaces = useQuery({
    queryKey: [...reflectionKey(reflection.id), 'sync'],
    queryFn: () => client.reflections.syncStatus(reflection.id),
    refetchInterval: LOOK_AGAIN_MS,
    retry: false,
  })
  // What is shown already is not pushed away by a look that failed.
  const surfacesState = <ReadState reading={surfaces} waiting="Looking up the agents…" />
  return (
    <PageBody width="wide">
      <Section title="Agents">
        <p className="text-soft max-w-prose text-sm leading-6">
          Three agents at the voice provider speak for this reflection, each made from the promoted pack. One
          that is out of date is brought up to date as soon as somebody needs it
          {rights.mayManage ? '; you can also do it now.' : '.'}
        </p>
        {surfaces.data && <Agents surfaces={surfaces.data.items} />}
        {!surfaces.data && surfacesState}
      </Section>
      {/* Not before, so that nothing moves when the agents come. */}
      {surfaces.data && rights.mayManage && (
        <>
          <DriftAudit />
          <AgentTests />
        </>
      )}
      {surfaces.data && surfacesState}
    </PageBody>
  )
}

function Agents({ surfaces }: { surfaces: readonly SurfaceStatus[] }) {
  const { reflection, rights } = useOpenReflection()
  const sync = useSync(reflection.id)
  return (
    <>
      <ul aria-label="Agents" className="divide-line border-line divide-y border-y">
        {surfaces.map((surface) => (
          <SurfaceRow key={surface.surface} surface={surface} sync={sync} />
        ))}
      </ul>
      {rights.mayManage ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button aria-disabled={sync.isPending} onClick={() => sync.isPending || sync.mutate('all')}>
            {sync.variables === 'all' && sync.isPending ? 'Syncing all…' : 'Sync all'}
          </Button>
          <p role="status" className="text-soft text-sm">
            {sync.isSuccess && 'Synced.'}
          </p>
        </div>
      ) : (
        <p className="text-soft text-sm">Admins of this reflection can sync, compare and test them.</p>
      )}
      {sync.error && <Notice>{messageOf(sync.error)}</Notice>}
    </>
  )
}
