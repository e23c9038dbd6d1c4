import type { SessionId, TurnSummary } from '@parley/contracts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { type TurnDetail, turnDetails } from './turn-details.ts'

interface Known {
  readonly turns: readonly TurnSummary[]
  /** Where reading goes on: what came before has its end. */
  readonly after: number
}

const NOTHING: Known = { turns: [], after: 0 }

/**
 * What the turns of a session took, by their questions. It is read after what was said, on from where it was known, each
 * time that a turn begins or ends; where it cannot be had, the transcript does without.
 */
export function useTurnDetails(
  sessionId: SessionId,
  openTurn: string | undefined,
): ReadonlyMap<number, TurnDetail> {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const key = ['turn-details', sessionId]
  const { data = NOTHING, refetch } = useQuery({
    queryKey: key,
    queryFn: async (): Promise<Known> => {
      let known = queries.getQueryData<Known>(key) ?? NOTHING
      for (;;) {
        const { items, nextAfter, more } = await client.sessions.turns({ sessionId, after: known.after })
        const read = new Set(items.map(({ turnId }) => turnId))
        known = {
          turns: [...known.turns.filter(({ turnId }) => !read.has(turnId)), ...items],
          after: nextAfter,
        }
        if (!more) return known
      }
    },
    refetchOnWindowFocus: false,
  })
  useEffect(() => void refetch(), [openTurn, refetch])
  return useMemo(() => turnDetails(data.turns), [data])
}
