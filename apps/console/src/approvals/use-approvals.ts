import type { WaitingApproval, WaitingApprovals } from '@parley/contracts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { use, useCallback } from 'react'
import { ConsoleHostContext, useConsoleHost } from '../app/console-host.ts'
import { mayDecide } from '../shell/navigation.ts'

export const APPROVALS = ['approvals'] as const

/** Turns stop to ask without anybody telling this page. */
const LOOK_AGAIN_MS = 4_000

/** Whoever may not decide is not shown what waits; a visitor never may. */
export function useMayDecide(): boolean {
  const me = use(ConsoleHostContext)?.me
  return me !== undefined && mayDecide(me.role)
}

/** What waits for this person, as it stands now. */
export function useApprovals() {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: APPROVALS,
    queryFn: () => client.sessions.approvals(),
    enabled: useMayDecide(),
    refetchInterval: LOOK_AGAIN_MS,
  })
}

/** Takes one that was answered out of the list at once, and then looks what waits now. */
export function useAnswered(): (approval: WaitingApproval) => void {
  const queries = useQueryClient()
  return useCallback(
    (approval) => {
      queries.setQueryData<WaitingApprovals>(
        APPROVALS,
        (known) =>
          known && { ...known, items: known.items.filter((one) => nameOf(one) !== nameOf(approval)) },
      )
      void queries.invalidateQueries({ queryKey: APPROVALS })
    },
    [queries],
  )
}

/** Some providers give one id to several calls, so what is asked belongs to the name. */
export const nameOf = ({ sessionId, callId, inputHash = '', askedAt }: WaitingApproval): string =>
  [sessionId, callId, inputHash, askedAt].join(' ')
