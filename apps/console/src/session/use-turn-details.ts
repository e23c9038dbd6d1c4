import type { TranscriptTurn } from '@parley/api-client'
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
 * time that the last turn changes its state; where it is not available, the transcript does without. A turn that begins
 * and ends between two looks of this page is a change too.
 */
export function useTurnDetails(
  sessionId: SessionId,
  last: Pick<TranscriptTurn, 'key' | 'state'> | undefined,
): ReadonlyMap<number, TurnDetail> {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const key = ['turn-details', sessionId]
  const { data, refetch } = useQuery({
    queryKey: key,
    // While there is no data, a reading that began before the change would not be begun again.
    initialData: NOTHING,
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
  useEffect(() => void refetch(), [last?.key, last?.state, refetch])
  return useMemo(() => turnDetails(data.turns), [data])
}
