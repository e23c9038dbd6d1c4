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
import { isAdmin } from '../shell/navigation.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { timeAgo } from '../shell/time-ago.ts'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { sizeInWords } from '../ui/size-in-words.ts'
import { timeInWords } from '../ui/time-in-words.ts'
import { Charts } from './charts.tsx'
import { JobsSection } from './jobs-section.tsx'
import { HeadCell, Part, TABLE, WideTable } from './part.tsx'
import { ProvidersSection } from './providers-section.tsx'
import { type Trouble, troublesOf } from './troubles.ts'
import { isUnreachable, useHealth } from './use-health.ts'
import { valueInWords } from './value-in-words.ts'

const healthRoute = getRouteApi('/health')

/** How the server fares, for those who run it. */
export function HealthPage() {
  const { me } = useConsoleHost()
  const { range = '24h' } = healthRoute.useSearch()
  const { data: health, dataUpdatedAt, error, refetch } = useHealth(range, isAdmin(me.role))
  return (
    <>
      <title>Health · Parley</title>
      <PageHeader title="Health">{isAdmin(me.role) && <Ranges chosen={range} />}</PageHeader>
      <PageBody width="wide">
        {!isAdmin(me.role) && <NotForYou role={me.role} />}
        {isAdmin(me.role) && !health && !error && (
          <p className="animate-late text-soft text-sm">Asking the server how it fares…</p>
        )}
        {error && <Unknown error={error} asOf={health && dataUpdatedAt} onAgain={() => void refetch()} />}
        {health && <Whole health={health} now={dataUpdatedAt} isOld={error !== null} />}
      </PageBody>
    </>
  )
}

interface WholeProps {
  readonly health: Health
  readonly now: number
  /** Whether the server was asked since, and did not tell. */
  readonly isOld: boolean
}

function Whole({ health, now, isOld }: WholeProps) {
  return (
    <>
      {!isOld && <Summary troubles={troublesOf(health, now)} />}
      <Charts health={health} />
      <ProvidersSection providers={health.providers} now={now} />
      <JobsSection queues={health.queues} failed={health.failedJobs} now={now} />
      <FailuresSection failures={health.failures} now={now} />
      <RoutesSection routes={health.routes} />
      <ProcessesSection processes={health.processes} database={health.database} now={now} isOld={isOld} />
    </>
  )
}

interface UnknownProps {
  readonly error: Error
  /** When what is shown below was told; absent where nothing was. */
  readonly asOf: number | undefined
  readonly onAgain: () => void
}

/** In place of how it fares: that this is not known now. */
function Unknown({ error, asOf, onAgain }: UnknownProps) {
  return (
    <section aria-label="Not known now" className="flex flex-col gap-2">
      <h2 className="font-serif text-xl">
        {isUnreachable(error) ? 'The server does not answer' : 'How the server fares is not known now'}
      </h2>
      <Notice action={<Button onClick={onAgain}>Try again</Button>}>{messageOf(error)}</Notice>
      {asOf !== undefined && (
        <p className="text-soft text-sm leading-6">
          What stands below is from {timeInWords(new Date(asOf).toISOString())}, and may be so no longer.
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

function Summary({ troubles }: { troubles: readonly Trouble[] }) {
  if (troubles.length === 0) {
    return <p className="font-serif text-xl">All is well.</p>
  }
  return (
    <section aria-label="What is not well" className="border-alarm flex flex-col gap-1 border-s-2 ps-4">
      <h2 className="font-serif text-xl">Not all is well</h2>
      <ul className="text-sm leading-6">
        {troubles.map(({ words, part }) => (
          <li key={words}>
            <a href={`#${part}`} className="text-alarm underline">
              {words}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const NotForYou = ({ role }: { role: string }) => (
  <div className="flex max-w-prose flex-col gap-3 text-sm leading-6">
    <p className="font-serif text-xl">This page is for admins of the server</p>
    <p>
      It tells of providers, jobs and errors of everybody. You are signed in as {role}.{' '}
      <Link to="/" className="text-accent underline">
        Go to Home
      </Link>
    </p>
  </div>
)

function RoutesSection({ routes }: { routes: readonly RouteHealth[] }) {
  return (
    <Part id="requests" title="Requests by route">
      <WideTable label="Table of requests by route">
        <table className={TABLE}>
          <caption className="sr-only">Those with failures first</caption>
          <thead>
            <tr>
              <HeadCell side="start">Route</HeadCell>
              <HeadCell>Requests</HeadCell>
              <HeadCell>Refused</HeadCell>
              <HeadCell>Failed</HeadCell>
              <HeadCell>Average</HeadCell>
            </tr>
          </thead>
          <tbody>
            {routes.map(({ route, requests, refused, failed, averageMs }) => (
              <tr key={route}>
                <th scope="row" className="py-1 text-start font-mono text-xs font-normal wrap-anywhere">
                  {route}
                </th>
                <td className="py-1 ps-4 text-end">{valueInWords(requests, 'count')}</td>
                <td className={`py-1 ps-4 text-end ${refused === 0 ? 'text-soft' : ''}`}>
                  {valueInWords(refused, 'count')}
                </td>
                <td className={`py-1 ps-4 text-end ${failed > 0 ? 'text-alarm' : 'text-soft'}`}>
                  {valueInWords(failed, 'count')}
                </td>
                <td className="py-1 ps-4 text-end whitespace-nowrap">{valueInWords(averageMs, 'ms')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </WideTable>
    </Part>
  )
}

function FailuresSection({ failures, now }: { failures: readonly HealthFailure[]; now: number }) {
  return (
    <Part id="failures" title="Failed turns and starts">
      {failures.length === 0 ? (
        <p className="text-soft text-sm">
          None in this time. A turn that fails, or a session that does not start, is listed here with its code
          and the way to it.
        </p>
      ) : (
        <ul className="divide-line border-line divide-y border-y">
          {failures.map((failure, index) => (
            <FailureRow key={`${failure.at} ${index}`} failure={failure} now={now} />
          ))}
        </ul>
      )}
    </Part>
  )
}

function FailureRow({ failure, now }: { failure: HealthFailure; now: number }) {
  const { kind, at, code, sessionId, reflection } = failure
  const known = ErrorCode.safeParse(code)
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 py-2 text-sm leading-6">
      <span className="min-w-0 flex-1 wrap-anywhere">
        {kind === 'turn' ? 'A turn' : 'A start'}: {known.success ? ERROR_TITLE[known.data] : code}{' '}
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
          Open the session
        </Link>
      )}
      {!sessionId && !reflection && <span className="text-soft">not yours to see</span>}
      <time dateTime={at} title={timeInWords(at)} className="text-soft text-xs">
        {timeAgo(at, now)}
      </time>
    </li>
  )
}

interface ProcessesProps {
  readonly processes: readonly ProcessHealth[]
  readonly database: Health['database']
  readonly now: number
  /** Whether this was told a while ago, and is not known now. */
  readonly isOld: boolean
}

function ProcessesSection({ processes, database, now, isOld }: ProcessesProps) {
  const hasWorker = processes.some(({ kind }) => kind === 'worker')
  return (
    <Part id="processes" title="Processes and database">
      <ul className="divide-line border-line divide-y border-y text-sm">
        {processes.map((process) => (
          <ProcessRow key={process.instance} process={process} now={now} isOld={isOld} />
        ))}
        {!hasWorker && (
          <li className="text-alarm py-2">
            No worker. Start one with <code className="font-mono text-xs">parley serve worker</code>.
          </li>
        )}
        <li className="flex flex-wrap items-baseline gap-x-4 py-2">
          <span className="font-medium">Postgres {database.version}</span>
          <span className="text-soft">
            answered within {valueInWords(Math.max(1, database.answeredMs), 'ms')}, holds{' '}
            {sizeInWords(database.bytes)}
          </span>
        </li>
      </ul>
    </Part>
  )
}

const KINDS: Record<ProcessHealth['kind'], string> = { api: 'API', worker: 'Worker' }

interface ProcessProps extends Pick<ProcessesProps, 'now' | 'isOld'> {
  readonly process: ProcessHealth
}

function ProcessRow({ process, now, isOld }: ProcessProps) {
  const { kind, instance, startedAt, seenAt, isAlive } = process
  return (
    <li data-alive={isAlive} className="flex flex-wrap items-baseline gap-x-4 py-2">
      <span className="font-medium">{KINDS[kind]}</span>
      <span className={isAlive ? 'text-soft' : 'text-alarm'}>
        {isAlive ? (isOld ? 'was alive then' : 'alive') : `silent for ${timeAgo(seenAt, now)}`}, started{' '}
        <time dateTime={startedAt}>{timeInWords(startedAt)}</time>
      </span>
      <span className="text-soft font-mono text-xs">{instance.slice(0, 8)}</span>
    </li>
  )
}
