import type { SessionId, SessionView } from '@parley/contracts'
import { useEffect } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Composer } from './composer.tsx'
import { isOffline, OFFLINE_EXPLAINED } from './model-label.ts'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'
import { TranscriptView } from './transcript-view.tsx'
import { useKnownSession, useSessionReader } from './use-session-reader.ts'

export function SessionPage({ sessionId }: { sessionId: SessionId }) {
  const { reader, state, reopen } = useSessionReader(sessionId)
  switch (state.kind) {
    case 'loading':
      return (
        <>
          <PageHeader title="Session" />
          <p className="animate-late text-soft m-auto pb-24 text-sm">Loading the session…</p>
        </>
      )
    case 'failed':
      return (
        <>
          <PageHeader title="Session" />
          <div className="m-auto max-w-md px-6 pb-24">
            <Notice action={<Button onClick={reopen}>Try again</Button>}>{state.error}</Notice>
          </div>
        </>
      )
    case 'open':
      return <OpenSessionPage open={state} reader={reader} />
    default:
      return state satisfies never
  }
}

function OpenSessionPage({ open, reader }: { open: OpenSession; reader: SessionReader }) {
  const { keep } = useConsoleHost()
  const { connection, transcript } = open
  const session = useKnownSession(open.session)
  const title = session.title ?? 'Untitled session'
  useStopByEscape(transcript.openTurn?.state === 'running', reader)
  return (
    <>
      <title>{`${title} · Parley`}</title>
      <PageHeader title={title}>
        <AgentLabel session={session} />
      </PageHeader>
      <TranscriptView open={{ ...open, session }} reader={reader} />
      <div role="status">
        {connection === 'reconnecting' && (
          <p className="animate-late text-soft border-line border-t px-4 py-1.5 text-center text-sm">
            Connection lost — reconnecting…
          </p>
        )}
      </div>
      {session.status === 'ended' ? (
        <p className="border-line text-soft border-t px-4 py-4 text-center text-sm">
          This session has ended.
        </p>
      ) : (
        <Composer
          sessionId={session.sessionId}
          keep={keep}
          doing={doingIn(open)}
          onSend={reader.send}
          onStop={reader.stop}
        />
      )}
    </>
  )
}

function doingIn({ transcript, stopping, outbox }: OpenSession) {
  if (stopping) return 'stopping'
  const { openTurn } = transcript
  if (openTurn && openTurn.state !== 'interrupted') return 'answering'
  return outbox.some(({ state }) => state !== 'failed') ? 'sending' : 'nothing'
}

function AgentLabel({ session }: { session: SessionView }) {
  return (
    <p className="text-soft truncate text-sm">
      {session.agentSlug}
      {isOffline(session) ? <span title={OFFLINE_EXPLAINED}> · offline model</span> : ` · ${session.model}`}
    </p>
  )
}

function useStopByEscape(running: boolean, reader: SessionReader) {
  useEffect(() => {
    if (!running) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) reader.stop()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [running, reader])
}
