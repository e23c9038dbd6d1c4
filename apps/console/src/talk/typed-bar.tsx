import type { SessionView } from '@parley/contracts'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { AllowedView } from './allowed-view.tsx'
import { SummaryView } from './summary-view.tsx'

interface TypedBarProps {
  readonly session: SessionView
  readonly sources: readonly string[]
  readonly answers: number
  readonly onEnd: () => Promise<void>
  /** Given where it speaks aloud: another conversation, or this one where it began as a call. */
  readonly speak:
    | { readonly onSpeak: () => void; readonly onReconnect: (session: SessionView) => void }
    | undefined
  readonly onNew: () => void
}

/** What a conversation in writing may use, and how to end it; once it is over, what it came to. */
export function TypedBar({ session, sources, answers, onEnd, speak, onNew }: TypedBarProps) {
  const [doing, setDoing] = useState<'nothing' | 'ending' | { readonly failure: unknown }>('nothing')
  const isOffRecord = session.reflection?.ingestion === 'off-record'
  const end = async () => {
    setDoing('ending')
    try {
      await onEnd()
    } catch (failure) {
      setDoing({ failure })
    }
  }
  if (session.status === 'ended') {
    return (
      <div className="border-line max-h-[60dvh] overflow-y-auto border-t px-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:px-8">
        <div className="mx-auto max-w-[38rem] pt-4 lg:max-w-[45.5rem] [&>section]:border-t-0 [&>section]:pt-0">
          <SummaryView
            title="The conversation is over"
            lastedMs={Date.parse(session.updatedAt) - Date.parse(session.createdAt)}
            answers={answers}
            sources={sources}
            session={session}
            isOffRecord={isOffRecord}
            onNew={onNew}
          />
        </div>
      </div>
    )
  }
  return (
    <div className="border-line flex flex-col gap-2 border-t px-4 py-1.5 sm:px-8">
      <div className="relative mx-auto w-full max-w-[38rem] lg:max-w-[45.5rem] lg:ps-30">
        <div className="py-1.5 max-sm:py-2.5">
          <AllowedView session={session} />
        </div>
        <div className="absolute end-0 top-0 flex gap-1">
          {speak && session.channel === 'voice' && session.mayWrite && (
            <Button look="bare" onClick={() => speak.onReconnect(session)}>
              Reconnect by voice
            </Button>
          )}
          {speak && session.channel === 'text' && (
            <Button look="bare" title="Starts another conversation; this one stays" onClick={speak.onSpeak}>
              Talk aloud
            </Button>
          )}
          <Button look="bare" aria-disabled={doing === 'ending'} onClick={() => void end()}>
            End
          </Button>
        </div>
      </div>
      {typeof doing === 'object' && <Notice>{messageOf(doing.failure)}</Notice>}
    </div>
  )
}
