import type { FailedJob, QueueHealth } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { timeAgo } from '../shell/time-ago.ts'
import { Button } from '../ui/button.tsx'
import { focusPage } from '../ui/focus-page.ts'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { useFocusAfter } from '../ui/use-focus-after.ts'
import { HeadCell, Part, TABLE, WideTable } from './part.tsx'
import { useRetryJob } from './use-health.ts'

interface JobsProps {
  readonly queues: readonly QueueHealth[]
  readonly failed: readonly FailedJob[]
  readonly now: number
}

export function JobsSection({ queues, failed, now }: JobsProps) {
  return (
    <Part id="jobs" title="Jobs">
      <WideTable label="Queues">
        <table className={TABLE}>
          <caption className="sr-only">Jobs in each queue</caption>
          <thead>
            <tr>
              <HeadCell side="start">Queue</HeadCell>
              <HeadCell>Waiting</HeadCell>
              <HeadCell>Active</HeadCell>
              <HeadCell>Retrying</HeadCell>
              <HeadCell>Failed</HeadCell>
              <HeadCell>Oldest</HeadCell>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <QueueRow key={queue.name} queue={queue} now={now} />
            ))}
          </tbody>
        </table>
      </WideTable>
      {failed.length === 0 ? (
        <p className="text-soft text-sm">
          No job has failed within a day. One that fails is tried three times more before it is listed here.
        </p>
      ) : (
        <ul aria-label="Jobs that failed" className="divide-line border-line divide-y border-y">
          {failed.map((job) => (
            <FailedRow key={job.jobId} job={job} now={now} />
          ))}
        </ul>
      )}
    </Part>
  )
}

/** What the jobs of a queue do. */
const DOES: Readonly<Record<string, string>> = {
  'ingest-source': 'Learn a source',
  'review-patch': 'Carry out a review',
  'propose-correction': 'Propose a correction',
  'remove-source': 'Remove a source',
  'remove-reflection': 'Remove a reflection',
  'rebuild-voice': 'Rebuild what speaks',
}
const doesOf = (queue: string) => DOES[queue] ?? queue

function QueueRow({ queue, now }: { queue: QueueHealth; now: number }) {
  const { name, waiting, active, retrying, failed, oldestAt } = queue
  return (
    <tr>
      <th scope="row" className="py-1.5 text-start font-normal">
        {doesOf(name)}
      </th>
      {[waiting, active, retrying].map((count, index) => (
        <td key={index} className={`py-1.5 ps-4 text-end ${count === 0 ? 'text-soft' : ''}`}>
          {count}
        </td>
      ))}
      <td className={`py-1.5 ps-4 text-end ${failed > 0 ? 'text-alarm' : 'text-soft'}`}>{failed}</td>
      <td className="text-soft py-1.5 ps-4 text-end whitespace-nowrap">
        {oldestAt ? timeAgo(oldestAt, now) : '–'}
      </td>
    </tr>
  )
}

function FailedRow({ job, now }: { job: FailedJob; now: number }) {
  const { jobId, queue, failedAt, tries, problem, reflection, source } = job
  const retry = useRetryJob(jobId)
  const row = useRef<HTMLLIElement>(null)
  useFocusAfter(row, focusPage)
  return (
    <li ref={row} className="flex flex-col gap-1 py-3 text-sm leading-6">
      <div className="flex items-start gap-3">
        <p className="min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium">{doesOf(queue)}</span>
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
            <time dateTime={failedAt} title={timeInWords(failedAt)}>
              {timeAgo(failedAt, now)}
            </time>
          </span>
        </p>
        <Button
          aria-label={`Try again: ${doesOf(queue)}${source ? ` ${source.title}` : ''}`}
          aria-disabled={retry.isPending}
          onClick={() => retry.isPending || retry.mutate()}
        >
          Try again
        </Button>
      </div>
      <p className="text-alarm wrap-anywhere">{problem}</p>
      {retry.error && <Notice>{messageOf(retry.error)}</Notice>}
    </li>
  )
}
