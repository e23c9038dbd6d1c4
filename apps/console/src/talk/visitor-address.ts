import type { SessionId } from '@parley/contracts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { sessionInAddress } from './session-in-address.ts'

/** Asked in place of a move by the browser's own keys; `go` makes it after all. */
export type AskBeforeMove = (ask: (go: () => void) => void) => () => void

/** Of the session that the address names: a reload finds it there. */
export function useVisitorAddress() {
  const [sessionId, setSessionId] = useState(sessionInPage)
  const asking = useRef<Parameters<AskBeforeMove>[0]>(undefined)
  useEffect(() => {
    const onMove = () => {
      const named = sessionInPage()
      const ask = asking.current
      if (!ask || named === sessionId) return setSessionId(named)
      // The browser has moved already, so the address is put back until there is an answer.
      window.history.pushState(null, '', addressOf(sessionId))
      return ask(() => {
        asking.current = undefined
        window.history.back()
      })
    }
    window.addEventListener('popstate', onMove)
    return () => window.removeEventListener('popstate', onMove)
  }, [sessionId])
  const openSession = useCallback((session: SessionId | undefined) => {
    window.history.pushState(null, '', addressOf(session))
    setSessionId(session)
  }, [])
  const askBeforeMove = useCallback<AskBeforeMove>((ask) => {
    asking.current = ask
    return () => {
      if (asking.current === ask) asking.current = undefined
    }
  }, [])
  return { sessionId, openSession, askBeforeMove }
}

const addressOf = (session: SessionId | undefined): string => {
  const { pathname } = window.location
  return session ? `${pathname}?session=${session}` : pathname
}

export const sessionInPage = (): SessionId | undefined =>
  sessionInAddress(Object.fromEntries(new URLSearchParams(window.location.search))).session
