import type { ApiClient } from '@parley/api-client'
import type { SessionId, SessionView } from '@parley/contracts'
import { useCallback, useEffect, useState } from 'react'
import { isPassing, troubleOf } from './trouble.ts'

const LOOK_AGAIN_MS = 2_000

export type TalkSession =
  | { readonly kind: 'loading' }
  | { readonly kind: 'there'; readonly session: SessionView }
  | { readonly kind: 'failed'; readonly failure: unknown }

interface Known {
  readonly of: SessionId | undefined
  readonly is: TalkSession
}

const LOADING: TalkSession = { kind: 'loading' }

/** The session as the server knows it, asked for again as long as something is waited for, or the server itself is. */
export function useTalkSession(
  { sessions }: Pick<ApiClient, 'sessions'>,
  sessionId: SessionId | undefined,
  isWaitedFor: (session: SessionView) => boolean,
): { readonly known: TalkSession; readonly lookAgain: () => void } {
  const [attempt, setAttempt] = useState(0)
  const lookAgain = useCallback(() => setAttempt((last) => last + 1), [])
  const [known, setKnown] = useState<Known>({
    of: sessionId,
    is: LOADING,
  })

  useEffect(() => {
    if (!sessionId) return undefined
    let isLeft = false
    let again: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const is = await sessions.get(sessionId).then(
        (session): TalkSession => ({ kind: 'there', session }),
        (failure: unknown): TalkSession => ({ kind: 'failed', failure }),
      )
      if (isLeft) return
      const isAway = is.kind === 'failed' && isPassing(troubleOf(is.failure))
      // What is known stays so while the server is away.
      setKnown((before) => (isAway && isOf(before, sessionId) ? before : { of: sessionId, is }))
      if (isAway || (is.kind === 'there' && isWaitedFor(is.session)))
        again = setTimeout(() => void look(), LOOK_AGAIN_MS)
    }
    void look()
    return () => {
      isLeft = true
      clearTimeout(again)
    }
  }, [sessions, sessionId, isWaitedFor, attempt])

  return { known: known.of === sessionId ? known.is : LOADING, lookAgain }
}

const isOf = ({ of, is }: Known, sessionId: SessionId): boolean => of === sessionId && is.kind === 'there'

export const isTranscriptPending = ({ reflection }: SessionView): boolean =>
  reflection?.transcript === 'pending'

export const isNotWaitedFor = (): boolean => false
