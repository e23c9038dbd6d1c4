import type { ApprovalDecision, WaitingApproval } from '@parley/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { WaitingCallView } from '../session/waiting-call.tsx'
import { timeAgo } from '../shell/time-ago.ts'
import { SESSIONS } from '../shell/use-sessions.ts'
import { MaybeGone } from '../ui/maybe-gone.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { askingOf } from './asking-of.ts'
import { useAnswered } from './use-approvals.ts'

interface ApprovalViewProps {
  readonly approval: WaitingApproval
  /** Whether it was decided elsewhere. */
  readonly isGone: boolean
  readonly now: number
  readonly onDecide: (approval: WaitingApproval) => void
  /** Brings the keys to what waits next, once this is answered. */
  readonly focusNext: () => void
}

/** One call that waits, with the session that it was asked in. */
export function ApprovalView({ approval, isGone, now, onDecide, focusNext }: ApprovalViewProps) {
  const { sessionId, title, agentSlug, ownerLabel, askedAt, callId, inputHash } = approval
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const answered = useAnswered()
  const name = useId()
  const decide = useMutation({
    mutationFn: (decision: ApprovalDecision) =>
      client.sessions.decide({ sessionId, callId, decision, ...(inputHash !== undefined && { inputHash }) }),
    onMutate: () => onDecide(approval),
    onSuccess: () => {
      answered(approval)
      void queries.invalidateQueries({ queryKey: SESSIONS })
    },
  })
  return (
    <li
      data-row={isGone ? undefined : true}
      tabIndex={-1}
      aria-labelledby={name}
      className="outline-offset-8"
    >
      <MaybeGone isGone={isGone}>
        <div id={name} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId }}
            className="hover:text-accent font-serif text-lg wrap-anywhere"
          >
            {title ?? 'Untitled session'}
          </Link>
          <span className="text-soft text-sm">
            {agentSlug}
            {ownerLabel && ` · by ${ownerLabel}`} ·{' '}
            <time dateTime={askedAt} title={timeInWords(askedAt)}>
              {waitedFor(askedAt, now)}
            </time>
          </span>
        </div>
        <WaitingCallView
          call={approval}
          asking={askingOf(decide)}
          onDecide={(_, decision) => void (decide.isPending || decide.mutate(decision))}
          focusNext={focusNext}
        />
      </MaybeGone>
    </li>
  )
}

function waitedFor(askedAt: string, now: number): string {
  const ago = timeAgo(askedAt, now)
  return ago === 'now' ? 'asked just now' : `waits since ${ago}`
}
