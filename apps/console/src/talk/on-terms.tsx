import { type ReactNode, useMemo } from 'react'
import { TalkHostContext, useTalkHost, type Wish } from './talk-host.ts'

/** A conversation with what always holds in it: who asks in an interview is not whom it is of, and off the record is said so. */
export function OnTerms({ wish, children }: { wish: Wish; children: ReactNode }) {
  const host = useTalkHost()
  const { isInterview } = wish
  const named = useMemo(() => (isInterview ? { ...host, name: 'Interviewer' } : host), [host, isInterview])
  return (
    <TalkHostContext value={named}>
      {wish.isOffRecord && (
        <p role="note" className="border-line bg-added border-b px-4 py-1.5 text-center text-sm">
          Off the record. Nothing that is said here is kept.
        </p>
      )}
      {children}
    </TalkHostContext>
  )
}
