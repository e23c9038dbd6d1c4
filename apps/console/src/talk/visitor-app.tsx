import { createApiClient } from '@parley/api-client'
import type { SharedReflection } from '@parley/contracts'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { createKeep } from '../app/keep.ts'
import { type LeaveQuestionProps, type TalkHost, TalkHostContext } from './talk-host.ts'
import { TalkView } from './talk-view.tsx'
import { type Trouble, troubleOf } from './trouble.ts'
import { TroubleView } from './trouble-view.tsx'
import { sessionInPage, useVisitorAddress } from './visitor-address.ts'
import { VisitorLeaveQuestion } from './visitor-leave-question.tsx'

const client = createApiClient({ baseUrl: '', as: 'visitor' })

/** For as long as the tab is open: who comes by a link may sit at anybody's computer. */
const keep = createKeep(() => window.sessionStorage)

type Look =
  | { readonly kind: 'looking' }
  | { readonly kind: 'there'; readonly shared: SharedReflection }
  | { readonly kind: 'trouble'; readonly trouble: Trouble }

/** The page that a link leads to: whom one talks with, and the talk. */
export function VisitorApp({ linkToken }: { linkToken: string }) {
  const { look, lookAgain } = useLook(linkToken)
  const { sessionId, openSession, askBeforeMove } = useVisitorAddress()
  const name = look.kind === 'there' ? look.shared.displayName : ''
  const hasVoice = look.kind === 'there' && look.shared.channels.includes('voice')
  const isLearnedFrom = look.kind === 'there' && look.shared.isLearnedFrom
  const LeaveQuestion = useCallback(
    (props: LeaveQuestionProps) => <VisitorLeaveQuestion {...props} askBeforeMove={askBeforeMove} />,
    [askBeforeMove],
  )
  const host = useMemo(
    (): TalkHost => ({
      who: 'visitor',
      name,
      client,
      keep,
      start: () => client.visits.start(linkToken),
      speak: () => client.visits.speak(linkToken),
      hasVoice,
      isLearnedFrom,
      sessionId,
      openSession,
      LeaveQuestion,
    }),
    [linkToken, name, hasVoice, isLearnedFrom, sessionId, openSession, LeaveQuestion],
  )
  return (
    <TalkHostContext value={host}>
      <title>{name === '' ? 'Parley' : `${name} · Parley`}</title>
      <div className="flex h-dvh flex-col pt-[env(safe-area-inset-top)]">
        <header className="border-line flex min-h-14 items-center gap-3 border-b px-4 sm:px-8">
          <h1 className="min-w-0 flex-1 truncate font-serif text-lg">{name}</h1>
          <p className="text-soft text-sm">Parley</p>
        </header>
        <main className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          {look.kind === 'there' && <TalkView />}
          {look.kind === 'looking' && <p className="animate-late text-soft m-auto text-sm">One moment…</p>}
          {look.kind === 'trouble' && <TroubleView trouble={look.trouble} ways={{ again: lookAgain }} />}
        </main>
      </div>
    </TalkHostContext>
  )
}

/** Whom the link leads to; what is not ready yet is looked at again by who shows it. */
function useLook(linkToken: string) {
  const [look, setLook] = useState<Look>({ kind: 'looking' })
  const lookAgain = useCallback(
    () =>
      client.visits.look(linkToken).then(
        (shared) =>
          setLook(
            shared.isReady || sessionInPage() !== undefined
              ? { kind: 'there', shared }
              : { kind: 'trouble', trouble: { kind: 'public-stale', differs: [] } },
          ),
        (failure: unknown) => setLook({ kind: 'trouble', trouble: troubleOf(failure) }),
      ),
    [linkToken],
  )
  useEffect(() => void lookAgain(), [lookAgain])
  return { look, lookAgain }
}
