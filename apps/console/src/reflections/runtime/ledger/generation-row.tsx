import { Link } from '@tanstack/react-router'
import type { LedgerStage } from '@parley/contracts'
import type { LedgerFault } from '@parley/reflections'
import { timeInWords } from '../../../ui/time-in-words.ts'
import { visibleText } from '../../../ui/visible-text.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { Mark } from '../mark.tsx'
import type { Generation, LinkedEntry } from './generations.ts'

interface GenerationRowProps {
  readonly generation: Generation
  readonly isLive: boolean
  readonly faults: readonly LedgerFault[]
}

export function GenerationRow({
  generation: { generation, entries, stage },
  isLive,
  faults,
}: GenerationRowProps) {
  const { reflection, rights } = useOpenReflection()
  const { label, look } = STAGES[stage]
  return (
    <li className="border-line border-t py-4" data-generation={generation}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-serif">
          {rights.mayManage ? (
            <Link
              to="/reflections/$reflectionId/runtime/ledger/$generation"
              params={{ reflectionId: reflection.id, generation: String(generation) }}
              className="text-accent inline-flex min-h-6 items-center underline underline-offset-4 max-sm:min-h-11"
            >
              Generation {generation}
            </Link>
          ) : (
            `Generation ${generation}`
          )}
        </h3>
        <Mark look={look}>{label}</Mark>
        {isLive && <Mark look="good">Serves now</Mark>}
      </div>
      <ol aria-label={`Entries of generation ${generation}`} className="mt-2">
        {entries.map((entry) => (
          <EntryRow
            key={entry.position}
            entry={entry}
            problems={faults
              .filter(({ position }) => position === entry.position)
              .map(({ problem }) => problem)}
          />
        ))}
      </ol>
    </li>
  )
}

const LINKS: Readonly<Record<LinkedEntry['link'], string>> = {
  follows: 'follows',
  broken: 'does not follow the one before it, but',
  unseen: 'follows',
  first: 'begins the chain with',
}

function EntryRow({ entry, problems }: { entry: LinkedEntry; problems: readonly string[] }) {
  const isBroken = entry.link === 'broken' || problems.length > 0
  return (
    <li className="relative flex flex-col gap-0.5 pb-3 ps-6 text-sm leading-6 last:pb-0">
      <span
        aria-hidden="true"
        className={`absolute start-1 top-2 size-2 rounded-full ${isBroken ? 'bg-alarm' : 'bg-accent'}`}
      />
      <span aria-hidden="true" className="bg-line absolute start-[7px] top-5 bottom-0 w-px" />
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-soft tabular-nums">#{entry.position}</span>
        <span>{STAGES[entry.stage].label}</span>
        <time dateTime={entry.at} className="text-soft">
          {timeInWords(entry.at)}
        </time>
        <span className={`text-xs sm:ms-auto ${isBroken ? 'text-alarm' : 'text-soft'}`}>
          <Hash value={entry.entryHash} /> {LINKS[entry.link]} <Hash value={entry.previousHash} />
        </span>
      </p>
      {entry.stage === 'evaluated' && entry.reasons.length === 0 && <p>Nothing speaks against it.</p>}
      {entry.reasons.length > 0 && (
        <ul aria-label={`Reasons of entry ${entry.position}`} className="list-disc ps-5">
          {entry.reasons.map((reason) => (
            <li key={reason} className="wrap-anywhere">
              {visibleText(reason)}
            </li>
          ))}
        </ul>
      )}
      {problems.map((problem) => (
        <p key={problem} className="text-alarm">
          This entry {visibleText(problem)}.
        </p>
      ))}
    </li>
  )
}

/** Enough of a hash to tell it by; all of it where somebody points at it. */
const Hash = ({ value }: { value: string }) => (
  <code className="font-mono" title={value}>
    {visibleText(value.slice(0, 10))}
  </code>
)

interface StageInWords {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
}

/** What became of a generation. */
const STAGES: Readonly<Record<LedgerStage, StageInWords>> = {
  candidate: { label: 'Built', look: 'quiet' },
  evaluated: { label: 'Judged', look: 'quiet' },
  promoted: { label: 'Promoted', look: 'good' },
  rejected: { label: 'Rejected', look: 'bad' },
  outrun: { label: 'Outrun by a later one', look: 'quiet' },
  erased: { label: 'Erased with a source', look: 'quiet' },
}
