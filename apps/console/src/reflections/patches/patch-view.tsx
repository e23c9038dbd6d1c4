import type { Patch, PatchStatus } from '@parley/contracts'
import { useRef } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { focusPage } from '../../ui/focus-page.ts'
import { MaybeGone } from '../../ui/maybe-gone.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useFocusAfter } from '../../ui/use-focus-after.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { SourceName } from '../source-name.tsx'
import { useMembers } from '../use-reflection.ts'
import { PatchChangesView } from './patch-changes-view.tsx'
import { decidedByInWords } from './decided-by.ts'
import { decideByKey } from './decide-by-key.ts'
import { objectedIn, patchInWords } from './patch-changes.ts'
import { PatchDecision } from './patch-decision.tsx'
import { RULES } from './rules.ts'

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
