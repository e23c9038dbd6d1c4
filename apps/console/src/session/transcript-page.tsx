import { turnsOf } from '@parley/api-client'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { Composer } from './composer.tsx'
import { FindBar } from './find-bar.tsx'
import { useOpenSession } from './open-session.ts'
import { isCallOn } from './session-reader.ts'
import { TranscriptView } from './transcript-view.tsx'
import { useFind } from './use-find.ts'
import { useTurnDetails } from './use-turn-details.ts'

/** What was said, and the place to say more. `find` is what is looked for; the bar is there where it is. */
export function TranscriptPage({ find }: { find: string | undefined }) {
  const { keep } = useConsoleHost()
  const { open, reader } = useOpenSession()
  const { session } = open
  const navigate = useNavigate()
  const last = useMemo(() => turnsOf(open.transcript).at(-1), [open.transcript])
  const details = useTurnDetails(session.sessionId, last)
  const looking = useFind(open, reader, find ?? '')
  const look = (words: string | undefined) => {
    looking.begin()
    const params = { sessionId: session.sessionId }
    const search = words === undefined ? {} : { find: words }
    void navigate({ to: '/sessions/$sessionId', params, search, replace: true })
  }
  return (
    <>
      {find !== undefined && (
        <FindBar
          words={find}
          found={looking.found}
          at={looking.at}
          isReading={looking.isReading}
          onWords={look}
          onGo={looking.go}
          onClose={() => look(undefined)}
        />
      )}
      <TranscriptView open={open} reader={reader} found={looking.turn} details={details} />
      {isCallOn(session) ? (
        <p className="border-line text-soft border-t px-4 py-4 text-center text-sm">
          This is a call. What was said comes here once it is over, and can then be gone on with in writing.
        </p>
      ) : session.status === 'ended' ? (
        <p className="border-line text-soft border-t px-4 py-4 text-center text-sm">
          This session has ended.
        </p>
      ) : session.mayWrite ? (
        <Composer open={open} reader={reader} keep={keep} />
      ) : (
        <p className="border-line text-soft border-t px-4 py-4 text-center text-sm">
          You may read this session; what is said in it is for its own person.
        </p>
      )}
    </>
  )
}
