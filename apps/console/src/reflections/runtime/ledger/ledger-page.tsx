import { keepPreviousData } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LedgerEntry, LedgerStage } from '@parley/contracts'
import type { LedgerFault } from '@parley/reflections'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Intro, PageBody, Section } from '../../../ui/page-body.tsx'
import { formatTime } from '../../../ui/format.ts'
import { usePages } from '../../../ui/use-pages.ts'
import { escapeInvisible } from '../../../ui/escape-invisible.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { useReflectionQuery } from '../../use-reflection-query.ts'
import { getReflectionKey } from '../../use-reflections.ts'
import { Mark, type MarkLabel } from '../runtime-frame.tsx'
import { VerifyLedger, useVerification } from './verify-ledger.tsx'
import { PageList } from '../../../ui/page-list.tsx'

const REFRESH_MS = 10_000

/** The version history: each build with its entries in the hash chain. */
export function VersionHistoryPage() {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const pages = usePages({
    key: [...getReflectionKey(reflection.id), 'ledger', 'entries'],
    read: (page) => client.reflections.ledger({ reflectionId: reflection.id, ...page }),
    pollMs: () => REFRESH_MS,
  })
  const live = useReflectionQuery(
    ['ledger', 'live', pages.loadedAt],
    async (reflections, reflectionId) => (await reflections.ledger({ reflectionId, limit: 1 })).live ?? null,
    { placeholderData: keepPreviousData },
  )
  const verification = useVerification(reflection.id)
  return (
    <PageBody>
      <Section title="Version history">
        <Intro>
          A version is one build of the prompts and summaries of this reflection. Each build is checked, then
          promoted or rejected. Every entry contains the hash of the previous one, so later changes to the
          history can be detected. Numbers can be missing: a build without changes leaves no entry.
        </Intro>
        {rights.mayManage ? (
          <VerifyLedger verification={verification} />
        ) : (
          <p className="text-soft text-sm">Admins can verify the history and open its versions.</p>
        )}
        <PageList
          pages={pages}
          empty={
            <p className="text-sm leading-6">
              No versions yet. The first one is built in the background, shortly after the first import.
            </p>
          }
          list={(entries) => (
            <ol aria-label="Versions, newest first" className="flex flex-col">
              {groupByGeneration(entries).map((generation) => (
                <GenerationRow
                  key={generation.generation}
                  generation={generation}
                  isLive={generation.generation === live.data}
                  faults={verification.data?.faults ?? []}
                />
              ))}
            </ol>
          )}
        />
      </Section>
    </PageBody>
  )
}

interface GenerationRowProps {
  readonly generation: GenerationGroup
  readonly isLive: boolean
  readonly faults: readonly LedgerFault[]
}

function GenerationRow({ generation: { generation, entries, stage }, isLive, faults }: GenerationRowProps) {
  const { reflection, rights } = useOpenReflection()
  const { label, tone } = STAGES[stage]
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
              Version {generation}
            </Link>
          ) : (
            `Version ${generation}`
          )}
        </h3>
        <Mark tone={tone}>{label}</Mark>
        {isLive && <Mark tone="good">In use</Mark>}
      </div>
      <ol aria-label={`Entries of version ${generation}`} className="mt-2">
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
  broken: 'breaks the chain: it names',
  unseen: 'follows',
  first: 'starts the chain from',
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
          {formatTime(entry.at)}
        </time>
        <span className={`text-xs sm:ms-auto ${isBroken ? 'text-alarm' : 'text-soft'}`}>
          <Hash value={entry.entryHash} /> {LINKS[entry.link]} <Hash value={entry.previousHash} />
        </span>
      </p>
      {entry.stage === 'evaluated' && entry.reasons.length === 0 && <p>Passed</p>}
      {entry.reasons.length > 0 && (
        <ul aria-label={`Reasons for entry ${entry.position}`} className="list-disc ps-5">
          {entry.reasons.map((reason) => (
            <li key={reason} className="wrap-anywhere">
              {escapeInvisible(reason)}
            </li>
          ))}
        </ul>
      )}
      {problems.map((problem) => (
        <p key={problem} className="text-alarm">
          This entry {escapeInvisible(problem)}.
        </p>
      ))}
    </li>
  )
}

/** The first characters of a hash; the tooltip has all of it. */
const Hash = ({ value }: { value: string }) => (
  <code className="font-mono" title={value}>
    {escapeInvisible(value.slice(0, 10))}
  </code>
)

const STAGES: Readonly<Record<LedgerStage, MarkLabel>> = {
  candidate: { label: 'Built', tone: 'quiet' },
  evaluated: { label: 'Checked', tone: 'quiet' },
  promoted: { label: 'Promoted', tone: 'good' },
  rejected: { label: 'Rejected', tone: 'bad' },
  outrun: { label: 'Replaced by a later version', tone: 'quiet' },
  erased: { label: 'Deleted with a source', tone: 'quiet' },
}

interface GenerationGroup {
  readonly generation: number
  /** Newest first. */
  readonly entries: readonly LinkedEntry[]
  readonly stage: LedgerStage
}

interface LinkedEntry extends LedgerEntry {
  /** Whether it contains the hash of the previous entry; `unseen` if that entry is not loaded yet. */
  readonly link: 'follows' | 'broken' | 'unseen' | 'first'
}

/** Groups entries by version, newest first. */
export function groupByGeneration(entries: readonly LedgerEntry[]): readonly GenerationGroup[] {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]))
  const groups = new Map<number, LinkedEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.generation) ?? []
    groups.set(entry.generation, [...group, { ...entry, link: checkLink(entry, byPosition) }])
  }
  return [...groups].map(([generation, group]) => ({
    generation,
    entries: group,
    stage: group[0]?.stage ?? 'candidate',
  }))
}

function checkLink(
  { position, previousHash }: LedgerEntry,
  byPosition: ReadonlyMap<number, LedgerEntry>,
): LinkedEntry['link'] {
  if (position === 1) return 'first'
  const before = byPosition.get(position - 1)
  if (!before) return 'unseen'
  return before.entryHash === previousHash ? 'follows' : 'broken'
}
