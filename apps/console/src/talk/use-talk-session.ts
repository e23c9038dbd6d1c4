import type { ApiClient } from '@parley/api-client'
import type { SessionId, SessionView } from '@parley/contracts'
import { useCallback, useEffect, useState } from 'react'
import { isTemporaryProblem, toTalkProblem } from './problem.ts'

const POLL_MS = 2_000

export type TalkSession =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly session: SessionView }
  | { readonly kind: 'failed'; readonly failure: unknown }

interface LoadedSession {
  readonly sessionId: SessionId | undefined
  readonly state: TalkSession
}

const LOADING: TalkSession = { kind: 'loading' }

/** The session from the server, polled while `shouldPoll` holds or the server is unreachable. */
export function useTalkSession(
  { sessions }: Pick<ApiClient, 'sessions'>,
  sessionId: SessionId | undefined,
  shouldPoll: (session: SessionView) => boolean,
): { readonly state: TalkSession; readonly refresh: () => void } {
  const [attempt, setAttempt] = useState(0)
  const refresh = useCallback(() => setAttempt((last) => last + 1), [])
  const [loaded, setLoaded] = useState<LoadedSession>({ sessionId, state: LOADING })

  useEffect(() => {
    if (!sessionId) return undefined
    let isLeft = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = async () => {
      const state = await sessions.get(sessionId).then(
        (session): TalkSession => ({ kind: 'open', session }),
        (failure: unknown): TalkSession => ({ kind: 'failed', failure }),
      )
      if (isLeft) return
      const isAway = state.kind === 'failed' && isTemporaryProblem(toTalkProblem(state.failure))
      // Keeps the last state while the server is unreachable.
      setLoaded((before) => (isAway && isOpen(before, sessionId) ? before : { sessionId, state }))
      if (isAway || (state.kind === 'open' && shouldPoll(state.session)))
        timer = setTimeout(() => void load(), POLL_MS)
    }
    void load()
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [sessions, sessionId, shouldPoll, attempt])

  return { state: loaded.sessionId === sessionId ? loaded.state : LOADING, refresh }
}

const isOpen = (loaded: LoadedSession, sessionId: SessionId): boolean =>
  loaded.sessionId === sessionId && loaded.state.kind === 'open'

export const neverPoll = (): boolean => false
