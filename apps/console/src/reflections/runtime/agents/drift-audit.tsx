import { useMutation } from '@tanstack/react-query'
import type { AgentDrift, DriftReport, ServerAgentDrift } from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { DiffLineView } from '../../../ui/diff-line-view.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Section } from '../../../ui/page-body.tsx'
import { Question } from '../../../ui/question.tsx'
import { useOpener } from '../../../ui/use-opener.ts'
import { visibleText } from '../../../ui/visible-text.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { Mark, SURFACES } from '../runtime-frame.tsx'

/** Compares what the provider holds with what should be there, and makes it right on request. */
export function DriftAudit() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const repairing = useOpener()
  const audit = useMutation({
    mutationFn: (how: 'report' | 'repair') =>
      client.reflections.drift({ reflectionId, repair: how === 'repair' }),
  })
  const isRepair = audit.variables === 'repair'
  const compared = audit.data ? [...audit.data.items, ...audit.data.server] : []
  const mayRepair = compared.some(({ status }) => status === 'differs' || status === 'gone')
  return (
    <Section title="Drift">
      <p className="text-soft max-w-prose text-sm leading-6">
        Somebody may have changed an agent at the provider. Comparing reads each of them back, field by field,
        and changes nothing.
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-disabled={audit.isPending} onClick={() => audit.isPending || audit.mutate('report')}>
          {audit.isPending && !isRepair ? 'Comparing…' : 'Compare with the provider'}
        </Button>
        {mayRepair && !repairing.isOpen && (
          <Button look="alarm" {...repairing.opener}>
            Repair
          </Button>
        )}
        <p role="status" className="text-sm">
          {audit.data && !audit.isPending && driftInWords(audit.data)}
        </p>
      </div>
      {repairing.isOpen && (
        <Question
          label="Repair the agents"
          yes={audit.isPending ? 'Repairing…' : 'Repair them'}
          no="Leave them"
          doing={{
            isPending: audit.isPending,
            error: isRepair ? audit.error : null,
            mutate: () => audit.mutate('repair', { onSuccess: repairing.close }),
          }}
          onClose={repairing.close}
        >
          <p className="max-w-prose">
            What differs is overwritten with what should be there. An agent with something beyond that is
            replaced by a new one. A call that is on keeps what it began with.
          </p>
        </Question>
      )}
      {audit.error && !isRepair && <Notice>{messageOf(audit.error)}</Notice>}
      {audit.data && <Agents report={audit.data} />}
    </Section>
  )
}

const OF_THE_SERVER: Readonly<Record<ServerAgentDrift['kind'], string>> = {
  interviewer: 'The server’s interviewer',
  generic: 'The server’s stand-in for agents that are not ready',
}

const Agents = ({ report }: { report: DriftReport }) => (
  <ul aria-label="What the provider holds" className="divide-line border-line divide-y border-y">
    {report.items.map((drift) => (
      <DriftView key={drift.surface} name={SURFACES[drift.surface].label} drift={drift} />
    ))}
    {report.server.map((drift) => (
      <DriftView key={drift.kind} name={OF_THE_SERVER[drift.kind]} drift={drift} />
    ))}
  </ul>
)

/** What a comparison came to, in a sentence. */
export function driftInWords({ items, server }: DriftReport): string {
  const all = [...items, ...server]
  const off = all.filter(({ status }) => status === 'differs' || status === 'gone').length
  const made = all.filter(({ status }) => status !== 'not_made').length
  if (made === 0) return 'No agent has been made yet.'
  if (off === 0) return 'Nothing differs.'
  return off === 1 ? 'One agent is not as it should be.' : `${off} agents are not as they should be.`
}

const STATUSES: Readonly<
  Record<AgentDrift['status'], { readonly label: string; readonly look: 'good' | 'bad' | 'quiet' }>
> = {
  as_wanted: { label: 'As it should be', look: 'good' },
  differs: { label: 'Differs', look: 'bad' },
  gone: { label: 'Gone from the provider', look: 'bad' },
  not_made: { label: 'Not made yet', look: 'quiet' },
  not_comparable: { label: 'Nothing to compare with yet', look: 'quiet' },
}

function DriftView({ name, drift }: { name: string; drift: AgentDrift | ServerAgentDrift }) {
  const { label, look } = STATUSES[drift.status]
  return (
    <li className="flex flex-col gap-3 py-3.5 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-medium">{name}</h3>
        <Mark look={look}>{label}</Mark>
      </div>
      {drift.why.map((why) => (
        <p key={why} className="max-w-prose">
          {visibleText(why)}
        </p>
      ))}
      {drift.differences.map((difference) => (
        <figure key={difference.path} className="flex flex-col gap-1">
          <figcaption className="font-mono text-xs">{visibleText(difference.path)}</figcaption>
          <div
            role="group"
            aria-label={`What differs in ${difference.path}`}
            tabIndex={0}
            className="bg-shade border-line max-h-80 overflow-auto rounded-sm border py-1.5 font-mono text-xs leading-5"
          >
            {fieldLines(difference).map((line, index) => (
              <DiffLineView key={index} {...line} />
            ))}
          </div>
        </figure>
      ))}
      {drift.beyond.length > 0 && (
        <div>
          <p>It also has what no agent of ours has:</p>
          <ul className="list-disc ps-5">
            {drift.beyond.map((path) => (
              <li key={path} className="font-mono text-xs leading-6 wrap-anywhere">
                {visibleText(path)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}

type Difference = AgentDrift['differences'][number]

/** A field that is not as it should be: what the provider holds goes, what should be there comes. */
export const fieldLines = ({ held, wanted }: Difference): readonly ChangedLine[] =>
  changedLines(linesOf(held), linesOf(wanted))

function linesOf(value: Difference['held']): readonly string[] {
  if (value === undefined) return []
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}

interface ChangedLine {
  readonly kind: 'added' | 'removed' | 'same' | 'about'
  readonly text: string
}

/** So many lines around a change tell where it is. */
const AROUND = 2

/** What would have to change for one text to become the other, line by line; long stretches that are alike are left out. */
export function changedLines(before: readonly string[], after: readonly string[]): readonly ChangedLine[] {
  return foldUnchanged(compareLines(before, after))
}

function compareLines(before: readonly string[], after: readonly string[]): readonly ChangedLine[] {
  const shared = sharedLengths(before, after)
  const lines: ChangedLine[] = []
  let one = 0
  let other = 0
  while (one < before.length || other < after.length) {
    const removed = before[one]
    const added = after[other]
    if (removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed })
      one += 1
      other += 1
    } else if (
      removed !== undefined &&
      lengthAt(shared, one + 1, other) >= lengthAt(shared, one, other + 1)
    ) {
      lines.push({ kind: 'removed', text: removed })
      one += 1
    } else {
      lines.push({ kind: 'added', text: added ?? '' })
      other += 1
    }
  }
  return lines
}

/** How many lines the rests have in common, in order. */
function sharedLengths(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let one = before.length - 1; one >= 0; one -= 1) {
    const row = table[one]
    if (!row) continue
    for (let other = after.length - 1; other >= 0; other -= 1) {
      row[other] =
        before[one] === after[other]
          ? lengthAt(table, one + 1, other + 1) + 1
          : Math.max(lengthAt(table, one + 1, other), lengthAt(table, one, other + 1))
    }
  }
  return table
}

/** Past the end of either there is nothing in common; and a line that is not there is never taken. */
const lengthAt = (table: readonly Uint32Array[], one: number, other: number): number =>
  table[one]?.[other] ?? -1

function foldUnchanged(lines: readonly ChangedLine[]): readonly ChangedLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same')
  const shown: ChangedLine[] = []
  let left = 0
  const close = () => {
    if (left > 0)
      shown.push({ kind: 'about', text: left === 1 ? '… 1 line alike …' : `… ${left} lines alike …` })
    left = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!isNear(index)) left += 1
    else {
      close()
      shown.push(line)
    }
  }
  close()
  return shown
}
