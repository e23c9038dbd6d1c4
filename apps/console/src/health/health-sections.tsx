import { Link } from '@tanstack/react-router'
import { type ComponentProps, useRef } from 'react'
import type { FailedJob, ProviderHealth, QueueHealth } from '@parley/contracts'
import { focusPage, useFocusAfter } from '../ui/focus.ts'
import { formatAge, formatTime } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { type HealthProblem, formatHealthValue, useProbe, useRetryJob } from './health-problems.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Intro, Section, Rows } from '../ui/page-body.tsx'

export function ProvidersSection({ providers, now }: { providers: readonly ProviderHealth[]; now: number }) {
  return (
    <HealthPart id="providers" title="Providers">
      <Intro>The last result of each provider. A check makes one free request.</Intro>
      <Rows>
        {providers.map((provider) => (
          <ProviderRow key={provider.name} provider={provider} now={now} />
        ))}
      </Rows>
    </HealthPart>
  )
}

const DOT_CLASSES: Record<ProviderHealth['state'], string> = {
  working: 'bg-accent',
  failing: 'bg-alarm',
  untried: 'border border-edge',
  not_set_up: 'border border-edge',
}

function ProviderRow({ provider, now }: { provider: ProviderHealth; now: number }) {
  const { name, state, code, problem, coolsUntil } = provider
  const probe = useProbe(name)
  return (
    <li data-provider={name} data-state={state} className="flex flex-col gap-1 py-3 text-sm leading-6">
      <div className="flex items-center gap-3">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${DOT_CLASSES[state]}`} />
        <p className="min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium">{name}</span>{' '}
          <span className="text-soft">{describeProvider(provider, now)}</span>
        </p>
        {state !== 'not_set_up' && (
          <Button
            aria-label={`Check ${name}`}
            aria-disabled={probe.isPending}
            onClick={() => probe.isPending || probe.mutate()}
          >
            {probe.isPending ? 'Checking…' : 'Check'}
          </Button>
        )}
      </div>
      {problem && state !== 'working' && (
        <p className={`ps-5 wrap-anywhere ${state === 'failing' ? 'text-alarm' : 'text-soft'}`}>
          {problem} {code && state === 'failing' && <span className="font-mono text-xs">{code}</span>}
        </p>
      )}
      {coolsUntil && (
        <p className="text-soft ps-5">
          Retrying in {Math.max(1, Math.ceil((Date.parse(coolsUntil) - now) / 1_000))} s.
        </p>
      )}
      {problem && state === 'working' && provider.failedAt && (
        <p className="text-soft ps-5 wrap-anywhere">
          Last failure {formatAge(provider.failedAt, now)} ago: {problem}
        </p>
      )}
      <p role="status" className="sr-only">
        {probe.data && `${name}: ${describeProvider(probe.data, now)}`}
      </p>
      <ErrorNotice error={probe.error} />
    </li>
  )
}

/** A provider's status, in one line. */
export function describeProvider({ state, workedAt, failingSince }: ProviderHealth, now: number): string {
  switch (state) {
    case 'working':
      return workedAt ? `working, last used ${formatAgo(workedAt, now)}` : 'working (built in)'
    case 'failing':
      return failingSince ? `failing since ${formatSince(failingSince, now)}` : 'failing'
    case 'untried':
      return 'not used yet'
    case 'not_set_up':
      return 'not set up'
    default:
      return state satisfies never
  }
}

const formatAgo = (at: string, now: number) => {
  const age = formatAge(at, now)
  return age === 'now' ? 'just now' : isDate(age) ? `on ${age}` : `${age} ago`
}

const formatSince = (at: string, now: number) => {
  const age = formatAge(at, now)
  return age === 'now' ? 'a moment ago' : isDate(age) ? age : `${age} ago`
}

const isDate = (age: string) => !/^\d+ (min|h|d)$/.test(age)

interface JobsProps {
  readonly queues: readonly QueueHealth[]
  readonly failed: readonly FailedJob[]
  readonly now: number
}

export function JobsSection({ queues, failed, now }: JobsProps) {
  return (
    <HealthPart id="jobs" title="Jobs">
      <DataTable
        label="Queues"
        caption="Jobs in each queue"
        rows={queues}
        getKey={({ name }) => name}
        columns={[
          { label: 'Queue', cell: ({ name }) => getJobName(name) },
          createCountColumn('Waiting', ({ waiting }: QueueHealth) => waiting),
          createCountColumn('Active', ({ active }: QueueHealth) => active),
          createCountColumn('Retrying', ({ retrying }: QueueHealth) => retrying),
          createFailureColumn('Failed', ({ failed: count }: QueueHealth) => count),
          {
            label: 'Oldest',
            cell: ({ oldestAt }) => (oldestAt ? formatAge(oldestAt, now) : '–'),
            className: () => 'text-soft',
          },
        ]}
      />
      {failed.length === 0 ? (
        <p className="text-soft text-sm">
          No failed jobs in the last day. A job is retried three times before it is listed here.
        </p>
      ) : (
        <Rows aria-label="Failed jobs">
          {failed.map((job) => (
            <FailedRow key={job.jobId} job={job} now={now} />
          ))}
        </Rows>
      )}
    </HealthPart>
  )
}

const JOB_NAMES: Readonly<Record<string, string>> = {
  'ingest-source': 'Import a source',
  'review-patch': 'Apply a review',
  'propose-correction': 'Propose a correction',
  'remove-source': 'Remove a source',
  'remove-reflection': 'Remove a reflection',
  'rebuild-voice': 'Build a new version',
}
const getJobName = (queue: string) => JOB_NAMES[queue] ?? queue

function FailedRow({ job, now }: { job: FailedJob; now: number }) {
  const { jobId, queue, failedAt, tries, problem, reflection, source } = job
  const retry = useRetryJob(jobId)
  const row = useRef<HTMLLIElement>(null)
  useFocusAfter(row, focusPage)
  return (
    <li ref={row} className="flex flex-col gap-1 py-3 text-sm leading-6">
      <div className="flex items-start gap-3">
        <p className="min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium">{getJobName(queue)}</span>
          {source && <>: {source.title}</>}
          {reflection && (
            <>
              {' '}
              of{' '}
              <Link
                to={source ? '/reflections/$reflectionId/sources' : '/reflections/$reflectionId'}
                params={{ reflectionId: reflection.reflectionId }}
                className="text-accent underline"
              >
                {reflection.displayName}
              </Link>
            </>
          )}
          <span className="text-soft">
            {' '}
            · {tries} tries ·{' '}
            <time dateTime={failedAt} title={formatTime(failedAt)}>
              {formatAge(failedAt, now)}
            </time>
          </span>
        </p>
        <Button
          aria-label={`Try again: ${getJobName(queue)}${source ? ` ${source.title}` : ''}`}
          aria-disabled={retry.isPending}
          onClick={() => retry.isPending || retry.mutate()}
        >
          Try again
        </Button>
      </div>
      <p className="text-alarm wrap-anywhere">{problem}</p>
      <ErrorNotice error={retry.error} />
    </li>
  )
}

/** A section that the problem list links to. */
export const HealthPart = (props: ComponentProps<typeof Section> & { id: HealthProblem['part'] }) => (
  <Section {...props} />
)

/** A column of counts that are normally not zero. */
export const createCountColumn = <Row,>(label: string, count: (row: Row) => number): Column<Row> => ({
  label,
  cell: (row) => formatHealthValue(count(row), 'count'),
  className: (row) => (count(row) === 0 ? 'text-soft' : ''),
})

/** A column of counts that are normally zero. */
export const createFailureColumn = <Row,>(label: string, count: (row: Row) => number): Column<Row> => ({
  ...createCountColumn(label, count),
  className: (row) => (count(row) > 0 ? 'text-alarm' : 'text-soft'),
})
