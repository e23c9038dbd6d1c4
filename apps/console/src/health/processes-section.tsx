import type { Health, ProcessHealth } from '@parley/contracts'
import { timeAgo } from '../shell/time-ago.ts'
import { sizeInWords } from '../ui/size-in-words.ts'
import { timeInWords } from '../ui/time-in-words.ts'
import { Part } from './part.tsx'
import { valueInWords } from './value-in-words.ts'

interface ProcessesProps {
  readonly processes: readonly ProcessHealth[]
  readonly database: Health['database']
  readonly now: number
  /** Whether this was told a while ago, and is not known now. */
  readonly isOld: boolean
}

export function ProcessesSection({ processes, database, now, isOld }: ProcessesProps) {
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
