import { Link, getRouteApi } from '@tanstack/react-router'
import {
  ERROR_TITLE,
  ErrorCode,
  type Health,
  type HealthFailure,
  HealthRange,
  type ProcessHealth,
  type RouteHealth,
} from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { isAdmin } from '../app/roles.ts'
import { formatAge, formatSize, formatTime } from '../ui/format.ts'
import { Charts } from './chart.tsx'
import {
  type HealthProblem,
  isUnreachable,
  findHealthProblems,
  useHealth,
  formatHealthValue,
} from './health-problems.ts'
import {
  JobsSection,
  HealthPart,
  ProvidersSection,
  createCountColumn,
  createFailureColumn,
} from './health-sections.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/query-state.tsx'
import { Rows, EmptyState } from '../ui/page-body.tsx'
import { Page } from '../shell/page.tsx'

const healthRoute = getRouteApi('/health')

/** The server's status, for admins. */
export function HealthPage() {
  const { me } = useConsoleHost()
  const { range = '24h' } = healthRoute.useSearch()
  const { data: health, dataUpdatedAt, error, refetch } = useHealth(range, isAdmin(me.role))
  return (
    <Page width="wide" beside={isAdmin(me.role) && <Ranges chosen={range} />}>
      {!isAdmin(me.role) && <AdminsOnly role={me.role} />}
      {isAdmin(me.role) && !health && !error && <Loading>Loading status…</Loading>}
      {error && <StatusUnknown error={error} asOf={health && dataUpdatedAt} retry={refetch} />}
      {health && <HealthSections health={health} now={dataUpdatedAt} isOutdated={error !== null} />}
    </Page>
  )
}

interface HealthSectionsProps {
  readonly health: Health
  readonly now: number
  /** Whether a later request failed. */
  readonly isOutdated: boolean
}

function HealthSections({ health, now, isOutdated }: HealthSectionsProps) {
  return (
    <>
      {!isOutdated && <Summary problems={findHealthProblems(health, now)} />}
      <Charts health={health} />
      <ProvidersSection providers={health.providers} now={now} />
      <JobsSection queues={health.queues} failed={health.failedJobs} now={now} />
      <FailuresSection failures={health.failures} now={now} />
      <RoutesSection routes={health.routes} />
      <ProcessesSection
        processes={health.processes}
        database={health.database}
        now={now}
        isOutdated={isOutdated}
      />
    </>
  )
}

interface StatusUnknownProps {
  readonly error: Error
  /** The time of the data below; undefined without data. */
  readonly asOf: number | undefined
  readonly retry: () => unknown
}

function StatusUnknown({ error, asOf, retry }: StatusUnknownProps) {
  return (
    <section aria-label="Status unknown" className="flex flex-col gap-2">
      <h2 className="font-serif text-xl">
        {isUnreachable(error) ? 'The server is not responding' : 'Status unknown'}
      </h2>
      <ErrorNotice error={error} retry={retry} />
      {asOf !== undefined && (
        <p className="text-soft text-sm leading-6">
          Data from {formatTime(new Date(asOf).toISOString())}; it may be outdated.
        </p>
      )}
    </section>
  )
}

const RANGES: Record<HealthRange, string> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' }

function Ranges({ chosen }: { chosen: HealthRange }) {
  return (
    <nav aria-label="Time range">
      <ul className="flex">
        {HealthRange.options.map((range) => (
          <li key={range}>
            <Link
              to="/health"
              search={{ range }}
              aria-current={range === chosen ? 'true' : undefined}
              className="text-soft hover:text-ink [&[aria-current]]:text-ink [&[aria-current]]:border-accent inline-flex min-h-9 items-center border-b-2 border-transparent px-2 text-sm max-sm:min-h-11"
            >
              {RANGES[range]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Summary({ problems }: { problems: readonly HealthProblem[] }) {
  if (problems.length === 0) {
    return <p className="font-serif text-xl">No problems found.</p>
  }
  return (
    <section aria-label="Problems" className="border-alarm flex flex-col gap-1 border-s-2 ps-4">
      <h2 className="font-serif text-xl">Problems found</h2>
      <ul className="text-sm leading-6">
        {problems.map(({ text, part }) => (
          <li key={text}>
            <a href={`#${part}`} className="text-alarm underline">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const AdminsOnly = ({ role }: { role: string }) => (
  <EmptyState title="This page is for server admins">
    <p>
      It shows providers, jobs and errors of all users. Your role is {role}.{' '}
      <Link to="/" className="text-accent underline">
        Go to Home
      </Link>
    </p>
  </EmptyState>
)

function RoutesSection({ routes }: { routes: readonly RouteHealth[] }) {
  return (
    <HealthPart id="requests" title="Requests by route">
      <DataTable
        label="Table of requests by route"
        caption="Routes with failures first"
        rows={routes}
        getKey={({ route }) => route}
        columns={[
          { label: 'Route', cell: ({ route }) => route, className: () => 'font-mono text-xs wrap-anywhere' },
          { label: 'Requests', cell: ({ requests }) => formatHealthValue(requests, 'count') },
          createCountColumn('Refused', ({ refused }: RouteHealth) => refused),
          createFailureColumn('Failed', ({ failed }: RouteHealth) => failed),
          { label: 'Average', cell: ({ averageMs }) => formatHealthValue(averageMs, 'ms') },
        ]}
      />
    </HealthPart>
  )
}

function FailuresSection({ failures, now }: { failures: readonly HealthFailure[]; now: number }) {
  return (
    <HealthPart id="failures" title="Failed turns and starts">
      {failures.length === 0 ? (
        <p className="text-soft text-sm">
          None in this range. Failed turns and session starts are listed here with their error code.
        </p>
      ) : (
        <Rows>
          {failures.map((failure, index) => (
            <FailureRow key={`${failure.at} ${index}`} failure={failure} now={now} />
          ))}
        </Rows>
      )}
    </HealthPart>
  )
}

function FailureRow({ failure, now }: { failure: HealthFailure; now: number }) {
  const { kind, at, code, sessionId, reflection } = failure
  const parsedCode = ErrorCode.safeParse(code)
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 py-2 text-sm leading-6">
      <span className="min-w-0 flex-1 wrap-anywhere">
        {kind === 'turn' ? 'Turn' : 'Session start'}:{' '}
        {parsedCode.success ? ERROR_TITLE[parsedCode.data] : code}{' '}
        <span className="text-soft font-mono text-xs">{code}</span>
      </span>
      {reflection && (
        <Link
          to="/reflections/$reflectionId"
          params={{ reflectionId: reflection.reflectionId }}
          className="text-accent underline"
        >
          {reflection.displayName}
        </Link>
      )}
      {sessionId && (
        <Link to="/sessions/$sessionId" params={{ sessionId }} className="text-accent underline">
          Open session
        </Link>
      )}
      {!sessionId && !reflection && <span className="text-soft">no access</span>}
      <time dateTime={at} title={formatTime(at)} className="text-soft text-xs">
        {formatAge(at, now)}
      </time>
    </li>
  )
}

interface ProcessesProps {
  readonly processes: readonly ProcessHealth[]
  readonly database: Health['database']
  readonly now: number
  readonly isOutdated: boolean
}

function ProcessesSection({ processes, database, now, isOutdated }: ProcessesProps) {
  const hasWorker = processes.some(({ kind }) => kind === 'worker')
  return (
    <HealthPart id="processes" title="Processes and database">
      <Rows className="text-sm">
        {processes.map((process) => (
          <ProcessRow key={process.instance} process={process} now={now} isOutdated={isOutdated} />
        ))}
        {!hasWorker && (
          <li className="text-alarm py-2">
            No worker. Start one with <code className="font-mono text-xs">parley serve worker</code>.
          </li>
        )}
        <li className="flex flex-wrap items-baseline gap-x-4 py-2">
          <span className="font-medium">Postgres {database.version}</span>
          <span className="text-soft">
            response {formatHealthValue(Math.max(1, database.answeredMs), 'ms')}, size{' '}
            {formatSize(database.bytes)}
          </span>
        </li>
      </Rows>
    </HealthPart>
  )
}

const KINDS: Record<ProcessHealth['kind'], string> = { api: 'API', worker: 'Worker' }

interface ProcessProps extends Pick<ProcessesProps, 'now' | 'isOutdated'> {
  readonly process: ProcessHealth
}

function ProcessRow({ process, now, isOutdated }: ProcessProps) {
  const { kind, instance, startedAt, seenAt, isAlive } = process
  return (
    <li data-alive={isAlive} className="flex flex-wrap items-baseline gap-x-4 py-2">
      <span className="font-medium">{KINDS[kind]}</span>
      <span className={isAlive ? 'text-soft' : 'text-alarm'}>
        {isAlive ? (isOutdated ? 'was running' : 'running') : `not responding for ${formatAge(seenAt, now)}`},
        started <time dateTime={startedAt}>{formatTime(startedAt)}</time>
      </span>
      <span className="text-soft font-mono text-xs">{instance.slice(0, 8)}</span>
    </li>
  )
}
