import { type KeyboardEvent, useRef } from 'react'
import { waitForPatch } from '@parley/api-client'
import {
  type FactChange,
  type Finding,
  type Member,
  type Patch,
  type PatchStatus,
  RULE_LABELS,
  type ReflectionId,
  type ReviewPatch,
  listPatchChanges,
} from '@parley/contracts'
import { focusPage, useFocusAfter } from '../../ui/focus.ts'
import { useConsoleHost } from '../../app/console-host.ts'
import { getSingleKey } from '../../shell/shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { StableRowContent } from '../../ui/stable-rows.tsx'
import { ConfirmButton } from '../../ui/confirm-form.tsx'
import { formatTime, pluralize } from '../../ui/format.ts'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { QuoteView, SourceName } from '../source-reference.tsx'
import { useMembers } from '../use-reflection-query.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { ErrorNotice, Status } from '../../ui/notice.tsx'

const STATUSES: Record<PatchStatus, { readonly label: string; readonly changes: string }> = {
  proposed: { label: 'waiting', changes: 'Changes' },
  applied: { label: 'approved', changes: 'Changes' },
  rejected: { label: 'rejected', changes: 'Rejected changes' },
  reverted: { label: 'reverted', changes: 'Reverted changes' },
}

interface PatchViewProps {
  readonly patch: Patch
  /** Whether it was decided elsewhere while it was shown here. */
  readonly isGone?: boolean
  readonly onDecide?: () => void
}

export function PatchView({ patch, isGone = false, onDecide }: PatchViewProps) {
  const { origin, sourceId, status, createdAt } = patch
  const box = useRef<HTMLLIElement>(null)
  useFocusAfter(box, focusPage)
  const isWaiting = status === 'proposed'
  const flagged = listFlaggedRules(patch)
  return (
    <li
      ref={box}
      data-status={status}
      tabIndex={isWaiting ? 0 : undefined}
      onKeyDown={(event) => isWaiting && !isGone && decideByKey(event)}
      className="py-4"
    >
      <StableRowContent isGone={isGone}>
        <div>
          <h3 className="leading-6 font-medium wrap-anywhere">
            {sourceId ? (
              <SourceName sourceId={sourceId} />
            ) : origin === 'correction' ? (
              'Correction'
            ) : (
              'Source'
            )}
          </h3>
          <p className="text-soft text-sm leading-6">
            {STATUSES[status].label}
            {patch.decidedBy && !isWaiting && <DecidedBy decidedBy={patch.decidedBy} />} ·{' '}
            {describePatch(patch)} · <time dateTime={createdAt}>{formatTime(createdAt)}</time>
          </p>
          {isWaiting && flagged.length > 0 && (
            <p className="text-alarm text-sm leading-6">
              Flagged: {flagged.map((rule) => RULE_LABELS[rule]).join(', ')}
            </p>
          )}
        </div>
        {isWaiting ? (
          <PatchChangesView patch={patch} />
        ) : (
          <details className="text-sm">
            <summary className="text-soft hover:text-ink w-fit py-1">{STATUSES[status].changes}</summary>
            <div className="pt-2">
              <PatchChangesView patch={patch} />
            </div>
          </details>
        )}
        <PatchDecision patch={patch} onDecide={onDecide} />
      </StableRowContent>
    </li>
  )
}

function DecidedBy({ decidedBy }: { decidedBy: string }) {
  const { me } = useConsoleHost()
  const { rights } = useOpenReflection()
  const { data: members = [] } = useMembers(rights.mayManage)
  return <> {describeDecider({ decidedBy, me: me.personId, members })}</>
}

interface PatchDecider {
  /** `rule`, or a person's id. */
  readonly decidedBy: string
  readonly me: string
  /** Empty if this person may not list the members. */
  readonly members: readonly Pick<Member, 'personId' | 'label'>[]
}

/** The person or the checks that decided on a patch. */
export function describeDecider({ decidedBy, me, members }: PatchDecider): string {
  if (decidedBy === 'rule') return 'automatically'
  if (decidedBy === me) return 'by you'
  return `by ${members.find(({ personId }) => personId === decidedBy)?.label ?? 'a person'}`
}

/** Keys for a waiting patch: `a` approves, `r` rejects, `j` and `k` move to the next and the previous one. */
function decideByKey(event: KeyboardEvent<HTMLElement>): void {
  const patch = event.currentTarget
  const actions: Readonly<Record<string, () => unknown>> = {
    a: () => patch.querySelector<HTMLElement>('[data-decision="approve"]')?.click(),
    r: () => patch.querySelector<HTMLElement>('[data-decision="reject"]')?.click(),
    j: () => focusOn(patch.nextElementSibling),
    k: () => focusOn(patch.previousElementSibling),
  }
  const action = actions[getSingleKey(event.nativeEvent) ?? '']
  if (!action) return
  event.preventDefault()
  action()
}

const focusOn = (element: Element | null) => element instanceof HTMLElement && element.focus()

function PatchChangesView({ patch }: { patch: Patch }) {
  const { changes, ended, findings } = listPatchChanges(patch)
  return (
    <div className="flex flex-col gap-3">
      <Findings findings={findings} />
      <ul aria-label="Changes" className="flex flex-col gap-3">
        {ended.map(({ id, statement }) => (
          <li key={id} className="text-sm leading-6">
            <DiffLineView kind="removed" text={statement} />
          </li>
        ))}
        {changes.map(({ kind, fact, replaces, findings: factFindings }) => (
          <li key={fact.id} className="flex flex-col gap-1.5 text-sm leading-6">
            <div>
              {replaces && <DiffLineView kind="removed" text={replaces.statement} />}
              <DiffLineView kind={kind === 'added' ? 'added' : 'same'} text={fact.statement} />
              {kind !== 'added' && <p className="text-soft ps-7">{NOTES[kind]}</p>}
            </div>
            <div className="flex flex-col gap-1 ps-7">
              {fact.evidence.map((evidence, index) => (
                <QuoteView key={index} evidence={evidence} />
              ))}
              <Findings findings={factFindings} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

const NOTES: Record<Exclude<FactChange['kind'], 'added'>, string> = {
  repeated: 'already known from another source',
  'left-out': 'skipped',
}

const SEVERITIES: Record<Finding['severity'], { readonly label: string; readonly className: string }> = {
  reject: { label: 'Failed check', className: 'text-alarm' },
  ask: { label: 'Needs review', className: 'text-ink' },
  note: { label: 'Note', className: 'text-soft' },
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <ul aria-label="Findings" className="flex flex-col gap-1 text-sm leading-6">
      {findings.map(({ rule, severity, message }, index) => (
        <li key={index} className={`wrap-anywhere ${SEVERITIES[severity].className}`}>
          <strong className="font-semibold">
            {SEVERITIES[severity].label}, {RULE_LABELS[rule]}:
          </strong>{' '}
          {escapeInvisible(message)}
        </li>
      ))}
    </ul>
  )
}

interface PatchDecisionProps {
  readonly patch: Patch
  readonly onDecide: (() => void) | undefined
}

function PatchDecision({ patch, onDecide }: PatchDecisionProps) {
  const { rights } = useOpenReflection()
  if (!rights.mayTeach) return null
  switch (patch.status) {
    case 'proposed':
      return <ReviewButtons patch={patch} onDecide={onDecide} />
    case 'applied':
      return <RevertButton patch={patch} />
    case 'rejected':
    case 'reverted':
      return null
    default:
      return patch.status satisfies never
  }
}

const PROGRESS: Record<ReviewPatch, string> = {
  approve: 'Approving…',
  reject: 'Rejecting…',
  revert: 'Reverting…',
}

function ReviewButtons({ patch, onDecide }: PatchDecisionProps) {
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  const decide = (decision: ReviewPatch) => {
    if (review.isPending) return
    onDecide?.()
    review.mutate(decision)
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          data-decision="approve"
          aria-disabled={review.isPending}
          onClick={() => decide('approve')}
        >
          Approve
        </Button>
        <Button data-decision="reject" aria-disabled={review.isPending} onClick={() => decide('reject')}>
          Reject
        </Button>
        <Status>{review.isPending && PROGRESS[review.variables]}</Status>
      </div>
      <ErrorNotice error={review.error} />
    </div>
  )
}

function RevertButton({ patch }: { patch: Patch }) {
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  return (
    <ConfirmButton
      label="Revert this change"
      text="Revert"
      button={{ className: 'self-start' }}
      yes={review.isPending ? PROGRESS.revert : 'Revert permanently'}
      action={{ ...review, mutate: (_, options) => review.mutate('revert', options) }}
    >
      <p>
        Revert this change? Its facts are no longer used, and the facts they replaced become active again.
      </p>
    </ConfirmButton>
  )
}

/** Sends the decision on a patch, and waits until its status has changed. */
function useReview(reflectionId: ReflectionId, patch: Patch) {
  return useReflectionChange(reflectionId, async (reflections, decision: ReviewPatch) => {
    const ref = { reflectionId, patchId: patch.id }
    await reflections.review({ ...ref, said: decision })
    await waitForPatch(reflections, ref, ({ status }) => status !== patch.status)
  })
}

export function describePatch(patch: Patch): string {
  const { changes } = listPatchChanges(patch)
  const count = (counted: FactChange['kind']) => changes.filter(({ kind }) => kind === counted).length
  const [added, repeated, leftOut] = [count('added'), count('repeated'), count('left-out')]
  return [
    `adds ${pluralize(added, 'fact')}`,
    patch.supersedes.length > 0 && `replaces ${patch.supersedes.length}`,
    repeated > 0 && `confirms ${repeated}`,
    leftOut > 0 && `skips ${leftOut}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The checks that flagged a patch, each once, the most serious first. */
export function listFlaggedRules({ findings }: Pick<Patch, 'findings'>): readonly Finding['rule'][] {
  const flagged = (['reject', 'ask'] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  )
  return [...new Set(flagged.map(({ rule }) => rule))]
}
