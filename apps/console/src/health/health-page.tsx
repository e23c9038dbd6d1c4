import { type Health, HealthRange } from '@parley/contracts'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { isAdmin } from '../shell/navigation.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { Charts } from './charts.tsx'
import { FailuresSection } from './failures-section.tsx'
import { JobsSection } from './jobs-section.tsx'
import { ProcessesSection } from './processes-section.tsx'
import { ProvidersSection } from './providers-section.tsx'
import { RoutesSection } from './routes-section.tsx'
import { type Trouble, troublesOf } from './troubles.ts'
import { isUnreachable, useHealth } from './use-health.ts'

const route = getRouteApi('/health')

/** How the server fares, for those who run it. */
export function HealthPage() {
  const { me } = useConsoleHost()
  const { range = '24h' } = route.useSearch()
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
