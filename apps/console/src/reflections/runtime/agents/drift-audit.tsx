import { useMutation } from '@tanstack/react-query'
import { diffArrays } from 'diff'
import type { AgentDrift, DriftReport, ServerAgentDrift } from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBox } from '../../../ui/code-box.tsx'
import { DiffLineView } from '../../../ui/diff-line-view.tsx'
import { getErrorMessage } from '../../../ui/error-message.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Intro, Section, Rows } from '../../../ui/page-body.tsx'
import { ConfirmButton } from '../../../ui/confirm-form.tsx'
import { escapeInvisible } from '../../../ui/escape-invisible.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { Mark, SURFACES, getAgentMark } from '../runtime-frame.tsx'

/** Compares the agents at the provider with the expected ones, and repairs them on request. */
export function DriftAudit() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const audit = useMutation({
    mutationFn: (how: 'report' | 'repair') =>
      client.reflections.drift({ reflectionId, repair: how === 'repair' }),
  })
  const isRepair = audit.variables === 'repair'
  const compared = audit.data ? [...audit.data.items, ...audit.data.server] : []
  const mayRepair = compared.some(({ status }) => status === 'differs' || status === 'gone')
  return (
    <Section title="Drift">
      <Intro>
        Agents can be changed directly at the provider. Comparing checks every field and changes nothing.
      </Intro>
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-disabled={audit.isPending} onClick={() => audit.isPending || audit.mutate('report')}>
          {audit.isPending && !isRepair ? 'Comparing…' : 'Compare with provider'}
        </Button>
        {(mayRepair || (isRepair && !audit.isSuccess)) && (
          <ConfirmButton
            label="Repair agents"
            text="Repair"
            button={{ variant: 'danger' }}
            yes={audit.isPending ? 'Repairing…' : 'Repair'}
            action={{
              isPending: audit.isPending,
              error: isRepair ? audit.error : null,
              mutate: (_, options) => audit.mutate('repair', options),
            }}
          >
            <p className="max-w-prose">
              Different fields are overwritten with the expected values. An agent with extra fields is
              replaced by a new one. Running calls are not affected.
            </p>
          </ConfirmButton>
        )}
        <p role="status" className="text-sm">
          {audit.data && !audit.isPending && describeDrift(audit.data)}
        </p>
      </div>
      {audit.error && !isRepair && <Notice>{getErrorMessage(audit.error)}</Notice>}
      {audit.data && <Agents report={audit.data} />}
    </Section>
  )
}

const SHARED_AGENTS: Readonly<Record<ServerAgentDrift['kind'], string>> = {
  interviewer: 'Interviewer (shared)',
  generic: 'Fallback agent (shared)',
}

const Agents = ({ report }: { report: DriftReport }) => (
  <Rows aria-label="Agents at the provider">
    {report.items.map((drift) => (
      <DriftView key={drift.surface} name={SURFACES[drift.surface].label} drift={drift} />
    ))}
    {report.server.map((drift) => (
      <DriftView key={drift.kind} name={SHARED_AGENTS[drift.kind]} drift={drift} />
    ))}
  </Rows>
)

export function describeDrift({ items, server }: DriftReport): string {
  const all = [...items, ...server]
  const faulty = all.filter(({ status }) => status === 'differs' || status === 'gone').length
  const existing = all.filter(({ status }) => status !== 'not_made').length
  if (existing === 0) return 'No agents yet.'
  if (faulty === 0) return 'No differences.'
  return faulty === 1 ? '1 agent has problems.' : `${faulty} agents have problems.`
}

function DriftView({ name, drift }: { name: string; drift: AgentDrift | ServerAgentDrift }) {
  const { label, tone } = getAgentMark(drift.status)
  return (
    <li className="flex flex-col gap-3 py-3.5 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-medium">{name}</h3>
        <Mark tone={tone}>{label}</Mark>
      </div>
      {drift.why.map((reason) => (
        <p key={reason} className="max-w-prose">
          {escapeInvisible(reason)}
        </p>
      ))}
      {drift.differences.map((difference) => (
        <figure key={difference.path} className="flex flex-col gap-1">
          <figcaption className="font-mono text-xs">{escapeInvisible(difference.path)}</figcaption>
          <CodeBox label={`Differences in ${difference.path}`} className="max-h-80">
            {compareFieldValues(difference).map((line, index) => (
              <DiffLineView key={index} {...line} />
            ))}
          </CodeBox>
        </figure>
      ))}
      {drift.beyond.length > 0 && (
        <div>
          <p>Unexpected extra fields:</p>
          <ul className="list-disc ps-5">
            {drift.beyond.map((path) => (
              <li key={path} className="font-mono text-xs leading-6 wrap-anywhere">
                {escapeInvisible(path)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}

type FieldDifference = AgentDrift['differences'][number]

/** The differences of one field, as lines: the provider's value is removed, the expected one added. */
export const compareFieldValues = ({ held, wanted }: FieldDifference): readonly DriftLine[] =>
  diffTexts(splitLines(held), splitLines(wanted))

function splitLines(value: FieldDifference['held']): readonly string[] {
  if (value === undefined) return []
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}

interface DriftLine {
  readonly kind: 'added' | 'removed' | 'same' | 'about'
  readonly text: string
}

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 2

/** A line diff of two texts, without long unchanged parts. */
export const diffTexts = (before: readonly string[], after: readonly string[]): readonly DriftLine[] =>
  foldUnchanged(
    diffArrays([...before], [...after]).flatMap(({ value, added, removed }) => {
      const kind = added ? 'added' : removed ? 'removed' : 'same'
      return value.map((text) => ({ kind, text }))
    }),
  )

function foldUnchanged(lines: readonly DriftLine[]): readonly DriftLine[] {
  const isNear = (index: number) =>
    lines
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ kind }) => kind !== 'same')
  const folded: DriftLine[] = []
  let hidden = 0
  const showHidden = () => {
    if (hidden > 0)
      folded.push({
        kind: 'about',
        text: hidden === 1 ? '… 1 unchanged line …' : `… ${hidden} unchanged lines …`,
      })
    hidden = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!isNear(index)) hidden += 1
    else {
      showHidden()
      folded.push(line)
    }
  }
  showHidden()
  return folded
}
