import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import {
  type AgentSurface,
  type AgentTestReport,
  type ReflectionId,
  Surface,
  type SurfaceStatus,
  type TestAgents,
} from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/field.tsx'
import { Notice, ErrorNotice, Status } from '../../../ui/notice.tsx'
import { Intro, PageBody, Section, Rows } from '../../../ui/page-body.tsx'
import { capitalize, formatTime } from '../../../ui/format.ts'
import { escapeInvisible } from '../../../ui/escape-invisible.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { QueryState } from '../../../ui/query-state.tsx'
import { useSyncStatus } from '../../use-reflection-query.ts'
import { useReflectionChange } from '../../use-reflections.ts'
import { Mark, SURFACES, type MarkLabel, getAgentMark } from '../runtime-frame.tsx'
import { DriftAudit } from './drift-audit.tsx'

const REFRESH_MS = 10_000

/** The agents of a reflection at the voice provider: their status, sync, drift and tests. */
export function AgentsPage() {
  const { rights } = useOpenReflection()
  const surfaces = useSyncStatus({ refetchInterval: REFRESH_MS })
  // Below the content if a refresh fails, so that nothing moves.
  const surfacesState = <QueryState query={surfaces} loadingText="Loading agents…" />
  return (
    <PageBody width="wide">
      <Section title="Agents">
        <Intro>
          The voice provider has these agents for this reflection, each built from the current version. An
          outdated agent is synced when somebody needs it
          {rights.mayManage ? '; you can also sync it now.' : '.'}
        </Intro>
        {surfaces.data && <Agents surfaces={surfaces.data.items} />}
        {!surfaces.data && surfacesState}
      </Section>
      {/* Not before the agents are loaded, so that nothing moves. */}
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
      <Rows aria-label="Agents">
        {surfaces.map((surface) => (
          <SurfaceRow key={surface.surface} surface={surface} sync={sync} />
        ))}
      </Rows>
      {rights.mayManage ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button aria-disabled={sync.isPending} onClick={() => sync.isPending || sync.mutate('all')}>
            {sync.variables === 'all' && sync.isPending ? 'Syncing all…' : 'Sync all'}
          </Button>
          <Status>{sync.isSuccess && 'Synced.'}</Status>
        </div>
      ) : (
        <p className="text-soft text-sm">Admins of this reflection can sync, compare and test the agents.</p>
      )}
      <ErrorNotice error={sync.error} />
    </>
  )
}

function SurfaceRow({ surface, sync }: { surface: SurfaceStatus; sync: Sync }) {
  const { rights } = useOpenReflection()
  const headingId = useId()
  const { label, help } = SURFACES[surface.surface]
  const status = describeAgentStatus(surface)
  const isSyncing = sync.isPending && (sync.variables === 'all' || sync.variables === surface.surface)
  return (
    <li className="flex flex-col gap-2 py-3.5 text-sm leading-6" data-status={surface.status}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 id={headingId} className="font-medium">
          {label}
        </h3>
        <Mark tone={status.tone}>{status.label}</Mark>
        {rights.mayManage && (
          <Button
            className="ms-auto"
            aria-describedby={headingId}
            aria-disabled={sync.isPending}
            onClick={() => sync.isPending || sync.mutate(surface.surface)}
          >
            {isSyncing ? 'Syncing…' : 'Sync now'}
          </Button>
        )}
      </div>
      <p className="text-soft">{help}</p>
      {status.problems.length > 0 && (
        <ul aria-label={`Problems: ${label}`}>
          {status.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <SurfaceDetail name="Pack">{surface.packKind ?? 'none yet'}</SurfaceDetail>
        <SurfaceDetail name="Synced">
          {surface.syncedAt ? formatTime(surface.syncedAt) : 'not synced'}
        </SurfaceDetail>
        <SurfaceDetail name="Agent">
          {surface.agentId ? (
            <code className="font-mono text-xs wrap-anywhere">{surface.agentId}</code>
          ) : (
            'none yet'
          )}
        </SurfaceDetail>
      </dl>
    </li>
  )
}

const SurfaceDetail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 gap-1.5">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
)

interface AgentStatus extends MarkLabel {
  readonly problems: readonly string[]
}

export function describeAgentStatus({ status, differs, missing }: SurfaceStatus): AgentStatus {
  return {
    ...getAgentMark(status),
    problems: [
      ...differs.map((part) => `Out of date: ${part}.`),
      ...missing.map((reason) => `${capitalize(reason)}.`),
    ],
  }
}

/** Updates one agent, or all of them, to the current version. */
const useSync = (reflectionId: ReflectionId) =>
  useReflectionChange(reflectionId, (reflections, which: AgentSurface | 'all') =>
    reflections.sync({ reflectionId, ...(which !== 'all' && { surface: which }) }),
  )

type Sync = ReturnType<typeof useSync>

/** Runs tests, generated from an agent's facts, at the provider. */
function AgentTests() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const [surface, setSurface] = useState<Surface>('standard')
  const test = useMutation({
    mutationFn: (agents: TestAgents) => client.reflections.testAgents({ reflectionId, ...agents }),
  })
  const start = (run: boolean) => test.isPending || test.mutate({ surface, run })
  const isRunning = test.isPending && test.variables.run === true
  return (
    <Section title="Agent tests">
      <Intro>
        Tests of what an agent must answer, look up and refuse, generated from its facts and run at the
        provider. Tests of the public agent contain private facts that it must not reveal.
      </Intro>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-56 max-sm:w-full">
          <Choice
            label="Agent"
            value={surface}
            options={Object.fromEntries(Surface.options.map((option) => [option, SURFACES[option].label]))}
            onChoose={(option) => setSurface(Surface.parse(option))}
          />
        </div>
        <Button aria-disabled={test.isPending} onClick={() => start(true)}>
          {isRunning ? 'Running…' : 'Run tests'}
        </Button>
        <Button variant="ghost" aria-disabled={test.isPending} onClick={() => start(false)}>
          List tests
        </Button>
      </div>
      <p role="status" className="text-sm">
        {isRunning && 'Each test is a conversation. All of them can take a few minutes.'}
        {test.data && !test.isPending && describeTestReport(test.data)}
      </p>
      <ErrorNotice error={test.error} />
      {!test.isPending &&
        test.data?.warnings.map((warning) => <Notice key={warning}>{escapeInvisible(warning)}</Notice>)}
      {test.data && !test.isPending && <TestResults report={test.data} />}
    </Section>
  )
}

const TEST_RESULTS = {
  passed: { label: 'Passed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  unfinished: { label: 'Timed out', tone: 'bad' },
  none: { label: 'Not run', tone: 'quiet' },
} as const

const TestResults = ({ report: { items, surface } }: { report: AgentTestReport }) => (
  <Rows aria-label={`Tests of ${SURFACES[surface].label}`}>
    {items.map((item) => (
      <TestResult key={item.test.name} item={item} />
    ))}
  </Rows>
)

function TestResult({ item: { test, verdict, reasons } }: { item: AgentTestReport['items'][number] }) {
  const { label, tone } = TEST_RESULTS[verdict ?? 'none']
  const lastMessage = test.history.at(-1)?.text
  return (
    <li data-verdict={verdict} className="flex flex-col gap-1 py-2.5 text-sm leading-6">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Mark tone={tone}>{label}</Mark>
        <span className="min-w-0 wrap-anywhere">{escapeInvisible(shortenTestName(test.name))}</span>
      </div>
      {lastMessage !== undefined && (
        <p className="text-soft wrap-anywhere">“{escapeInvisible(lastMessage)}”</p>
      )}
      {reasons.map((reason, index) => (
        <p key={index} className="max-w-prose wrap-anywhere">
          {escapeInvisible(reason)}
        </p>
      ))}
    </li>
  )
}

/** Names at the provider start with the reflection and agent, which this page shows already. */
const shortenTestName = (name: string): string => name.replace(/^rfl_\w+ \w+ /, '')

export function describeTestReport({ items }: AgentTestReport): string {
  const count = (counted: string) => items.filter(({ verdict }) => verdict === counted).length
  if (items.every(({ verdict }) => verdict === undefined)) return `${items.length} tests, not run yet.`
  const parts = [
    `${count('passed')} of ${items.length} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('unfinished') > 0 ? [`${count('unfinished')} timed out`] : []),
  ]
  return `${parts.join(', ')}.`
}
