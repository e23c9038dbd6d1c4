import { type KeyboardEvent, useRef } from 'react'
import { untilPatch } from '@parley/api-client'
import type { Finding, Member, Patch, PatchStatus, ReflectionId, ReviewPatch } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { singleKeyOf } from '../../shell/shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { focusPage } from '../../ui/focus-page.ts'
import { MaybeGone } from '../../ui/maybe-gone.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useFocusAfter } from '../../ui/use-focus-after.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { QuoteView, SourceName } from '../source-reference.tsx'
import { useMembers, useReflectionChange } from '../use-reflections.ts'
import { type FactChange, objectedIn, patchChanges, patchInWords } from './patch-changes.ts'

/** How a patch stands, and what its changes are called then. */
const STATUSES: Record<PatchStatus, { readonly says: string; readonly changes: string }> = {
  proposed: { says: 'waiting', changes: 'What it would change' },
  applied: { says: 'applied', changes: 'What it changed' },
  rejected: { says: 'rejected', changes: 'What it would have changed' },
  reverted: { says: 'reverted', changes: 'What it had changed' },
}

interface PatchViewProps {
  readonly patch: Patch
  /** Whether one that waited was decided elsewhere. */
  readonly isGone?: boolean
  readonly onDecide?: () => void
}

export function PatchView({ patch, isGone = false, onDecide }: PatchViewProps) {
  const { origin, sourceId, status, createdAt } = patch
  const box = useRef<HTMLLIElement>(null)
  useFocusAfter(box, focusPage)
  const isWaiting = status === 'proposed'
  const objected = objectedIn(patch)
  return (
    <li
      ref={box}
      data-status={status}
      tabIndex={isWaiting ? 0 : undefined}
      onKeyDown={(event) => isWaiting && !isGone && decideByKey(event)}
      className="py-4"
    >
      <MaybeGone isGone={isGone}>
        <div>
          <h3 className="leading-6 font-medium wrap-anywhere">
            {sourceId ? (
              <SourceName sourceId={sourceId} />
            ) : origin === 'correction' ? (
              'A correction'
            ) : (
              'A source'
            )}
          </h3>
          <p className="text-soft text-sm leading-6">
            {STATUSES[status].says}
            {patch.decidedBy && !isWaiting && <DecidedBy decidedBy={patch.decidedBy} />} ·{' '}
            {patchInWords(patch)} · <time dateTime={createdAt}>{timeInWords(createdAt)}</time>
          </p>
          {isWaiting && objected.length > 0 && (
            <p className="text-alarm text-sm leading-6">
              Rules object: {objected.map((rule) => RULES[rule]).join(', ')}
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
      </MaybeGone>
    </li>
  )
}

function DecidedBy({ decidedBy }: { decidedBy: string }) {
  const { me } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const { data: members = [] } = useMembers(reflection.id, rights.mayManage)
  return <> {decidedByInWords({ decidedBy, me: me.personId, members })}</>
}

interface Deciding {
  /** `rule`, or a person's id. */
  readonly decidedBy: string
  readonly me: string
  /** Empty for who may not see them. */
  readonly members: readonly Pick<Member, 'personId' | 'label'>[]
}

/** Who decided on a patch, by their name where that is known. */
export function decidedByInWords({ decidedBy, me, members }: Deciding): string {
  if (decidedBy === 'rule') return 'by the rules'
  if (decidedBy === me) return 'by you'
  return `by ${members.find(({ personId }) => personId === decidedBy)?.label ?? 'a person'}`
}

/** Keys of a patch that waits: `a` and `r` press its own buttons, `j` and `k` go to the next and the one before. */
function decideByKey(event: KeyboardEvent<HTMLElement>): void {
  const patch = event.currentTarget
  const actions: Readonly<Record<string, () => unknown>> = {
    a: () => patch.querySelector<HTMLElement>('[data-says="approve"]')?.click(),
    r: () => patch.querySelector<HTMLElement>('[data-says="reject"]')?.click(),
    j: () => focusOn(patch.nextElementSibling),
    k: () => focusOn(patch.previousElementSibling),
  }
  const action = actions[singleKeyOf(event.nativeEvent) ?? '']
  if (!action) return
  event.preventDefault()
  action()
}

const focusOn = (element: Element | null) => element instanceof HTMLElement && element.focus()

/** What a patch adds and ends, line by line, with the words behind it and what the rules found. */
function PatchChangesView({ patch }: { patch: Patch }) {
  const { changes, ended, findings } = patchChanges(patch)
  return (
    <div className="flex flex-col gap-3">
      <Findings findings={findings} />
      <ul aria-label="What it changes" className="flex flex-col gap-3">
        {ended.map(({ id, statement }) => (
          <li key={id} className="text-sm leading-6">
            <DiffLineView kind="removed" text={statement} />
          </li>
        ))}
        {changes.map(({ kind, fact, inPlaceOf, findings: found }) => (
          <li key={fact.id} className="flex flex-col gap-1.5 text-sm leading-6">
            <div>
              {inPlaceOf && <DiffLineView kind="removed" text={inPlaceOf.statement} />}
              <DiffLineView kind={LINES[kind]} text={fact.statement} />
              {kind !== 'added' && <p className="text-soft ps-7">{NOTES[kind]}</p>}
            </div>
            <div className="flex flex-col gap-1 ps-7">
              {fact.evidence.map((evidence, index) => (
                <QuoteView key={index} evidence={evidence} />
              ))}
              <Findings findings={found} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

const LINES: Record<FactChange['kind'], 'added' | 'same'> = {
  added: 'added',
  repeated: 'same',
  'left-out': 'same',
}

const NOTES: Record<Exclude<FactChange['kind'], 'added'>, string> = {
  repeated: 'is known from another source, and is borne out',
  'left-out': 'is left out',
}

const SEVERITIES: Record<Finding['severity'], { readonly says: string; readonly look: string }> = {
  reject: { says: 'Does not pass', look: 'text-alarm' },
  ask: { says: 'Look at this', look: 'text-ink' },
  note: { says: 'Note', look: 'text-soft' },
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <ul aria-label="What the rules found" className="flex flex-col gap-1 text-sm leading-6">
      {findings.map(({ rule, severity, message }, index) => (
        <li key={index} className={`wrap-anywhere ${SEVERITIES[severity].look}`}>
          <strong className="font-semibold">
            {SEVERITIES[severity].says}, {RULES[rule]}:
          </strong>{' '}
          {visibleText(message)}
        </li>
      ))}
    </ul>
  )
}

/** What a rule looks at. */
const RULES: Record<Finding['rule'], string> = {
  schema: 'its form',
  evidence: 'its evidence',
  confidence: 'its confidence',
  contradiction: 'a contradiction',
  injection: 'words for a model',
  third_party: 'about somebody else',
  duplicate: 'said before',
  correction: 'a correction',
  extraction: 'how facts were found',
}

interface PatchDecisionProps {
  readonly patch: Patch
  /** Called when the person says something of one that waits. */
  readonly onDecide: (() => void) | undefined
}

/** What a person may say of a patch, by how it stands. */
function PatchDecision({ patch, onDecide }: PatchDecisionProps) {
  const { rights } = useOpenReflection()
  if (!rights.mayTeach) return null
  switch (patch.status) {
    case 'proposed':
      return <Review patch={patch} onDecide={onDecide} />
    case 'applied':
      return <Revert patch={patch} />
    case 'rejected':
    case 'reverted':
      return null
    default:
      return patch.status satisfies never
  }
}

const DOING: Record<ReviewPatch, string> = {
  approve: 'Approving…',
  reject: 'Rejecting…',
  revert: 'Reverting…',
}

function Review({ patch, onDecide }: PatchDecisionProps) {
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  const say = (said: ReviewPatch) => {
    if (review.isPending) return
    onDecide?.()
    review.mutate(said)
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="main"
          data-says="approve"
          aria-disabled={review.isPending}
          onClick={() => say('approve')}
        >
          Approve
        </Button>
        <Button data-says="reject" aria-disabled={review.isPending} onClick={() => say('reject')}>
          Reject
        </Button>
        <p role="status" className="text-soft text-sm">
          {review.isPending && DOING[review.variables]}
        </p>
      </div>
      {review.error && <Notice>{messageOf(review.error)}</Notice>}
    </div>
  )
}

function Revert({ patch }: { patch: Patch }) {
  const asking = useOpener()
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  return (
    <>
      <Button className="self-start" {...asking.opener}>
        Revert
      </Button>
      {asking.isOpen && (
        <Question
          label="Revert this patch"
          yes={review.isPending ? DOING.revert : 'Revert for good'}
          no="Keep it"
          doing={{ ...review, mutate: () => review.mutate('revert', { onSuccess: asking.close }) }}
          onClose={asking.close}
        >
          <p>Revert this patch? Its facts no longer count, and what they superseded counts again.</p>
        </Question>
      )}
    </>
  )
}

/** What a person says of a patch. It is carried out in the background; done is it once the patch stands otherwise. */
function useReview(reflectionId: ReflectionId, patch: Patch) {
  return useReflectionChange(reflectionId, async (reflections, said: ReviewPatch) => {
    const ref = { reflectionId, patchId: patch.id }
    await reflections.review({ ...ref, said })
    await untilPatch(reflections, ref, ({ status }) => status !== patch.status)
  })
}
