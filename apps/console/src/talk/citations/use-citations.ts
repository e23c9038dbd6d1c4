import type { ApiClient } from '@parley/api-client'
import type { Citation, SessionId } from '@parley/contracts'
import { useEffect, useState } from 'react'
import { citationsAfter } from './citations-after.ts'

/** What was looked up is kept softly, beside the answer: it may be there a moment later. */
const LOOK_AGAIN_MS = 1_000

const NONE: readonly Citation[] = []

/** All that was looked up in a session, read on each time that another answer is there. */
export function useCitations(
  { sessions }: Pick<ApiClient, 'sessions'>,
  sessionId: SessionId,
  lookUps: number,
): readonly Citation[] {
  const [known, setKnown] = useState<readonly Citation[]>(NONE)
  const isShort = known.length < lookUps

  useEffect(() => {
    if (!isShort) return undefined
    let isLeft = false
    let again: ReturnType<typeof setTimeout> | undefined
    const read = async () => {
      const found = await citationsAfter(sessions, sessionId, known.length)
      if (isLeft || found.length === 0) return
      setKnown((before) => [...before, ...found.slice(before.length - known.length)])
    }
    const attempt = () => void read().catch(() => undefined)
    attempt()
    again = setTimeout(attempt, LOOK_AGAIN_MS)
    return () => {
      isLeft = true
      clearTimeout(again)
    }
    // Asked once for each answer that is short of something, and not again for what is not to be had.
  }, [sessions, sessionId, lookUps, isShort, known.length])

  return known
}
