import type { ApiClient } from '@parley/api-client'
import type { SessionId, SessionView } from '@parley/contracts'
import { useCallback, useEffect, useState } from 'react'
import { isPassing, toTalkProblem } from './problem.ts'

const POLL_MS = 2_000

export type TalkSession =
  | { readonly kind: 'loading' }
  | { readonly kind: 'there'; readonly session: SessionView }
  | { readonly kind: 'failed'; readonly failure: unknown }

interface KnownSession {
  readonly of: SessionId | undefined
  readonly is: TalkSession
}

const LOADING: TalkSession = { kind: 'loading' }

/** The session from the server, polled while `shouldPoll` holds or the server is unreachable. */
export function useTalkSession(
  { sessions }: Pick<ApiClient, 'sessions'>,
  sessionId: SessionId | undefined,
  shouldPoll: (session: SessionView) => boolean,
): { readonly known: TalkSession; readonly refresh: () => void } {
  const [attempt, setAttempt] = useState(0)
  const refresh = useCallback(() => setAttempt((last) => last + 1), [])
  const [known, setKnown] = useState<KnownSession>({
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
      const isAway = is.kind === 'failed' && isPassing(toTalkProblem(is.failure))
      // BrowserStorage the last state while the server is unreachable.
      setKnown((before) => (isAway && isOf(before, sessionId) ? before : { of: sessionId, is }))
      if (isAway || (is.kind === 'there' && shouldPoll(is.session)))
        again = setTimeout(() => void look(), POLL_MS)
    }
    void look()
    return () => {
      isLeft = true
      clearTimeout(again)
    }
  }, [sessions, sessionId, shouldPoll, attempt])

  return { known: known.of === sessionId ? known.is : LOADING, refresh }
}

const isOf = ({ of, is }: KnownSession, sessionId: SessionId): boolean =>
  of === sessionId && is.kind === 'there'

export const isTranscriptPending = ({ reflection }: SessionView): boolean =>
  reflection?.transcript === 'pending'

export const neverWait = (): boolean => false
