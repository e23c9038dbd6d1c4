import { useMutation, useQuery } from '@tanstack/react-query'
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
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { PageBody, Section } from '../../../ui/page-body.tsx'
import { timeInWords } from '../../../ui/time-in-words.ts'
import { visibleText } from '../../../ui/visible-text.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { useReflectionChange } from '../../use-reflections.ts'
import { Mark, ReadState, SURFACES } from '../runtime-frame.tsx'
import { DriftAudit } from './drift-audit.tsx'

const REFRESH_MS = 10_000

/** The agents that speak for a reflection at the voice provider: how they stand, and what can be done about it. */
export function AgentsPage() {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const surfaces = useQuery({
    queryKey: [...reflectionKey(reflection.id), 'sync'],
    queryFn: () => client.reflections.syncStatus(reflection.id),
    refetchInterval: REFRESH_MS,
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

function SurfaceRow({ surface, sync }: { surface: SurfaceStatus; sync: Sync }) {
  const { rights } = useOpenReflection()
  const headingId = useId()
  const { label, help } = SURFACES[surface.surface]
  const standing = surfaceStanding(surface)
  const isSyncing = sync.isPending && (sync.variables === 'all' || sync.variables === surface.surface)
  return (
    <li className="flex flex-col gap-2 py-3.5 text-sm leading-6" data-status={surface.status}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 id={headingId} className="font-medium">
          {label}
        </h3>
        <Mark look={standing.look}>{standing.label}</Mark>
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
      {standing.reasons.length > 0 && (
        <ul aria-label={`What is not as it should be: ${label}`}>
          {standing.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Told name="Pack">{surface.packKind ?? 'none yet'}</Told>
        <Told name="Synced">
          {surface.syncedAt ? timeInWords(surface.syncedAt) : 'never, or not since it changed'}
        </Told>
        <Told name="Agent">
          {surface.agentId ? (
            <code className="font-mono text-xs wrap-anywhere">{surface.agentId}</code>
          ) : (
            'none yet'
          )}
        </Told>
      </dl>
    </li>
  )
}

const Told = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 gap-1.5">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
)

interface Standing {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
  /** What is not as it should be, in a sentence each. */
  readonly reasons: readonly string[]
}

/** How an agent stands, in words. */
export function surfaceStanding({ status, differs, missing }: SurfaceStatus): Standing {
  return {
    ...STANDINGS[status],
    reasons: [...differs.map((what) => `Differs: ${what}.`), ...missing.map((what) => `Missing: ${what}.`)],
  }
}

const STANDINGS: Readonly<Record<SurfaceStatus['status'], Omit<Standing, 'reasons'>>> = {
  fresh: { label: 'Current', look: 'good' },
  stale: { label: 'Out of date', look: 'bad' },
  not_ready: { label: 'Not ready', look: 'quiet' },
}

/** Brings one agent to what is promoted, or all of them. */
const useSync = (reflectionId: ReflectionId) =>
  useReflectionChange(reflectionId, (reflections, which: AgentSurface | 'all') =>
    reflections.sync({ reflectionId, ...(which !== 'all' && { surface: which }) }),
  )

type Sync = ReturnType<typeof useSync>

/** Tries an agent at the provider with tests that follow from its facts. */
function AgentTests() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const [surface, setSurface] = useState<Surface>('standard')
  const test = useMutation({
    mutationFn: (wanted: TestAgents) => client.reflections.testAgents({ reflectionId, ...wanted }),
  })
  const start = (run: boolean) => test.isPending || test.mutate({ surface, run })
  const isRunning = test.isPending && test.variables.run === true
  return (
    <Section title="Agent tests">
      <p className="text-soft max-w-prose text-sm leading-6">
        What an agent must answer, must look up, and must refuse, made from its facts and run at the provider.
        The tests of the public agent name what the public must not hear.
      </p>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-56 max-sm:w-full">
          <Choice
            label="Agent"
            value={surface}
            onChange={(event) => setSurface(Surface.parse(event.target.value))}
          >
            {Surface.options.map((option) => (
              <option key={option} value={option}>
                {SURFACES[option].label}
              </option>
            ))}
          </Choice>
        </div>
        <Button aria-disabled={test.isPending} onClick={() => start(true)}>
          {isRunning ? 'Running…' : 'Run the tests'}
        </Button>
        <Button look="bare" aria-disabled={test.isPending} onClick={() => start(false)}>
          Only list them
        </Button>
      </div>
      <p role="status" className="text-sm">
        {isRunning && 'Each test is a conversation; all of them may take some minutes.'}
        {test.data && !test.isPending && testsInWords(test.data)}
      </p>
      {test.error && <Notice>{messageOf(test.error)}</Notice>}
      {!test.isPending &&
        test.data?.warnings.map((warning) => <Notice key={warning}>{visibleText(warning)}</Notice>)}
      {test.data && !test.isPending && <Trials report={test.data} />}
    </Section>
  )
}

const VERDICTS = {
  passed: { label: 'Passed', look: 'good' },
  failed: { label: 'Failed', look: 'bad' },
  unfinished: { label: 'Not ended', look: 'bad' },
  none: { label: 'Not run', look: 'quiet' },
} as const

const Trials = ({ report: { items, surface } }: { report: AgentTestReport }) => (
  <ul
    aria-label={`Tests of ${SURFACES[surface].label}`}
    className="divide-line border-line divide-y border-y"
  >
    {items.map((item) => (
      <Trial key={item.test.name} item={item} />
    ))}
  </ul>
)

function Trial({ item: { test, verdict, reasons } }: { item: AgentTestReport['items'][number] }) {
  const { label, look } = VERDICTS[verdict ?? 'none']
  const said = test.history.at(-1)?.text
  return (
    <li data-verdict={verdict} className="flex flex-col gap-1 py-2.5 text-sm leading-6">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Mark look={look}>{label}</Mark>
        <span className="min-w-0 wrap-anywhere">{visibleText(shortName(test.name))}</span>
      </div>
      {said !== undefined && <p className="text-soft wrap-anywhere">“{visibleText(said)}”</p>}
      {reasons.map((reason, index) => (
        <p key={index} className="max-w-prose wrap-anywhere">
          {visibleText(reason)}
        </p>
      ))}
    </li>
  )
}

/** At the provider a name begins with whose test it is, which is known here. */
const shortName = (name: string): string => name.replace(/^rfl_\w+ \w+ /, '')

/** What the tests came to, in a sentence. */
export function testsInWords({ items }: AgentTestReport): string {
  const count = (wanted: string) => items.filter(({ verdict }) => verdict === wanted).length
  if (items.every(({ verdict }) => verdict === undefined)) return `${items.length} tests, not run yet.`
  const parts = [
    `${count('passed')} of ${items.length} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('unfinished') > 0 ? [`${count('unfinished')} did not end in time`] : []),
  ]
  return `${parts.join(', ')}.`
}
