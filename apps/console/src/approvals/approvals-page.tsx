import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type RefObject, useId, useRef } from 'react'
import type { ApprovalDecision, WaitingApproval } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import type { TurnRequest } from '../session/session-state.ts'
import { WaitingCallView } from '../session/waiting-call.tsx'
import { formatAge, formatTime } from '../ui/format.ts'
import { SESSIONS_KEY } from '../shell/use-sessions.ts'
import { StableRowContent, useStableRows } from '../ui/stable-rows.tsx'
import { getErrorMessage, hasErrorCode } from '../ui/error-message.ts'
import { useRowKeys } from '../ui/keyboard.ts'
import { getApprovalKey, useRemoveApproval, useApprovals, useMayDecide } from './use-approvals.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/query-state.tsx'
import { Page } from '../shell/page.tsx'
import { getSessionTitle } from '../session/text-labels.ts'
import { EmptyState } from '../ui/page-body.tsx'

/** All tool calls waiting for this person, across sessions. */
export function ApprovalsPage() {
  const mayDecide = useMayDecide()
  const { data, error, refetch, dataUpdatedAt } = useApprovals()
  const list = useRef<HTMLUListElement>(null)
  useRowKeys(list)
  const empty = useRef<HTMLDivElement>(null)
  const focusNext = () => {
    const at = findRows(list.current).findIndex((row) => row.contains(document.activeElement))
    // The answered row is still in the list at this point.
    queueMicrotask(() => {
      const remaining = findRows(list.current)
      const next = remaining[Math.min(Math.max(at, 0), remaining.length - 1)] ?? empty.current
      next?.focus()
    })
  }
  const items = data?.items ?? []
  const { rows, markDecided } = useStableRows({ items, getKey: getApprovalKey, isWhole: data?.more !== true })
  return (
    <Page>
      {!mayDecide && (
        <p className="max-w-prose text-sm leading-6">
          Only operators and above can approve tool calls. Ask an admin of this server for that role.
        </p>
      )}
      {mayDecide && !data && !error && <Loading />}
      {data && (
        <div role="status" className="sr-only">
          {items.length === 0 ? 'Nothing is waiting.' : `${items.length} waiting.`}
        </div>
      )}
      {data && items.length === 0 && <NoApprovals box={empty} />}
      {rows.length > 0 && (
        <ul ref={list} aria-label="Waiting for you" className="flex flex-col gap-10">
          {rows.map(({ item, isGone }) => (
            <ApprovalView
              key={getApprovalKey(item)}
              approval={item}
              isGone={isGone}
              now={dataUpdatedAt}
              onDecide={markDecided}
              focusNext={focusNext}
            />
          ))}
        </ul>
      )}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data?.more && <p className="text-soft text-sm">There are more. They appear as you decide these.</p>}
    </Page>
  )
}

const findRows = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]

const NoApprovals = ({ box }: { box: RefObject<HTMLDivElement | null> }) => (
  <EmptyState ref={box} tabIndex={-1} title="Nothing is waiting for you">
    <p>
      When an agent wants to do something that needs approval, such as writing a file or running a command, it
      stops and asks. Requests from all sessions appear here until somebody decides.
    </p>
    <p className="text-soft">Pending requests cost nothing and survive restarts.</p>
  </EmptyState>
)

interface ApprovalViewProps {
  readonly approval: WaitingApproval
  /** Whether another window or person decided it. */
  readonly isGone: boolean
  readonly now: number
  readonly onDecide: (approval: WaitingApproval) => void
  /** Moves the focus to the next row after a decision. */
  readonly focusNext: () => void
}

function ApprovalView({ approval, isGone, now, onDecide, focusNext }: ApprovalViewProps) {
  const { sessionId, agentSlug, ownerLabel, askedAt, callId, inputHash } = approval
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const removeApproval = useRemoveApproval()
  const name = useId()
  const decide = useMutation({
    mutationFn: (decision: ApprovalDecision) =>
      client.sessions.decide({ sessionId, callId, decision, ...(inputHash !== undefined && { inputHash }) }),
    onMutate: () => onDecide(approval),
    onSuccess: () => {
      removeApproval(approval)
      void queries.invalidateQueries({ queryKey: SESSIONS_KEY })
    },
  })
  return (
    <li
      data-row={isGone ? undefined : true}
      tabIndex={-1}
      aria-labelledby={name}
      className="outline-offset-8"
    >
      <StableRowContent isGone={isGone}>
        <div id={name} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId }}
            className="hover:text-accent font-serif text-lg wrap-anywhere"
          >
            {getSessionTitle(approval)}
          </Link>
          <span className="text-soft text-sm">
            {agentSlug}
            {ownerLabel && ` · by ${ownerLabel}`} ·{' '}
            <time dateTime={askedAt} title={formatTime(askedAt)}>
              {describeWait(askedAt, now)}
            </time>
          </span>
        </div>
        <WaitingCallView
          call={approval}
          request={toTurnRequest(decide)}
          onDecide={(_, decision) => void (decide.isPending || decide.mutate(decision))}
          focusNext={focusNext}
        />
      </StableRowContent>
    </li>
  )
}

function describeWait(askedAt: string, now: number): string {
  const ago = formatAge(askedAt, now)
  return ago === 'now' ? 'asked just now' : `waiting for ${ago}`
}

interface DecisionState {
  readonly isPending: boolean
  readonly error: Error | null
}

export function toTurnRequest({ isPending, error }: DecisionState): TurnRequest {
  if (isPending) return { kind: 'pending' }
  if (!error) return { kind: 'none' }
  return { kind: 'refused', reason: describeRefusal(error) }
}

const describeRefusal = (error: Error): string =>
  hasErrorCode(error, 'approval_not_pending')
    ? 'Your answer was not used: this was decided elsewhere, or it changed. The list updates in a moment.'
    : getErrorMessage(error)
