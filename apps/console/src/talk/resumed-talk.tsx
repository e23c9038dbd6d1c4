import type { SessionId, SessionView } from '@parley/contracts'
import { useEffect, useEffectEvent } from 'react'
import { useTalkHost } from './talk-host.ts'
import { troubleOf } from './trouble.ts'
import { TroubleView } from './trouble-view.tsx'
import { isNotWaitedFor, isTranscriptPending, useTalkSession } from './use-talk-session.ts'

interface ResumedTalkProps {
  readonly sessionId: SessionId
  readonly onCall: (session: SessionView) => void
  readonly onTyped: (session: SessionView) => void
  readonly onNew: () => void
}

/** A conversation that was left, by a reload or a link: one's own call that may still be on is offered to be connected to. */
export function ResumedTalk({ sessionId, onCall, onTyped, onNew }: ResumedTalkProps) {
  const { client } = useTalkHost()
  const { known, lookAgain } = useTalkSession(client, sessionId, isNotWaitedFor)
  const goOn = useEffectEvent(() => {
    if (known.kind !== 'there') return
    const { session } = known
    if (isTranscriptPending(session) && session.status === 'active' && session.mayWrite) onCall(session)
    else onTyped(session)
  })
  useEffect(() => goOn(), [known])
  if (known.kind === 'failed') {
    return <TroubleView trouble={troubleOf(known.failure)} ways={{ again: lookAgain, new: onNew }} />
  }
  return <p className="animate-late text-soft m-auto text-sm">Loading the conversation…</p>
}
