import type { WaitingApproval, WaitingApprovals } from '@parley/contracts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { use, useCallback } from 'react'
import { ConsoleHostContext, useConsoleHost } from '../app/console-host.ts'
import { mayDecide } from '../app/roles.ts'

export const APPROVALS_KEY = ['approvals'] as const

/** The server does not push approvals, so this page polls. */
const POLL_MS = 4_000

/** Whether this person may approve tool calls; visitors never may. */
export function useMayDecide(): boolean {
  const me = use(ConsoleHostContext)?.me
  return me !== undefined && mayDecide(me.role)
}

export function useApprovals() {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: APPROVALS_KEY,
    queryFn: () => client.sessions.approvals(),
    enabled: useMayDecide(),
    refetchInterval: POLL_MS,
  })
}

/** Removes a decided call from the list at once, then refetches. */
export function useRemoveApproval(): (approval: WaitingApproval) => void {
  const queries = useQueryClient()
  return useCallback(
    (approval) => {
      queries.setQueryData<WaitingApprovals>(
        APPROVALS_KEY,
        (before) =>
          before && {
            ...before,
            items: before.items.filter((one) => getApprovalKey(one) !== getApprovalKey(approval)),
          },
      )
      void queries.invalidateQueries({ queryKey: APPROVALS_KEY })
    },
    [queries],
  )
}

/** Some providers reuse a call id, so the key includes the input hash. */
export const getApprovalKey = ({ sessionId, callId, inputHash = '', askedAt }: WaitingApproval): string =>
  [sessionId, callId, inputHash, askedAt].join(' ')
