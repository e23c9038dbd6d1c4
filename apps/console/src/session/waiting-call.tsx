import type { WaitingCall } from '@parley/api-client'
import { useId, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useFocusAfter } from '../ui/use-focus-after.ts'
import { focusMessageBoxByKeys } from './message-box.ts'
import { PreviewView } from './preview-view.tsx'
import type { SessionReader } from './session-reader.ts'
import type { Asking } from './session-state.ts'
import { visibleText } from '../ui/visible-text.ts'

interface WaitingCallProps {
  readonly call: WaitingCall
  readonly asking: Asking
  /** Absent where it is for somebody else to say. */
  readonly onDecide: SessionReader['decide'] | undefined
  /** Where the keys go once it is answered: to the message box where nothing else is said. */
  readonly focusNext?: () => void
}

/** What a call wants to do, and the person's say in it. */
export function WaitingCallView(props: WaitingCallProps) {
  const { call, asking, onDecide, focusNext = focusMessageBoxByKeys } = props
  const { tool, target, preview } = call
  const wish = useId()
  const box = useRef<HTMLElement>(null)
  useFocusAfter(box, focusNext)
  return (
    <section
      ref={box}
      aria-label={onDecide ? 'A tool call needs your approval' : 'A tool call needs an approval'}
      className="border-accent flex flex-col gap-3 border-s-2 ps-4 text-sm leading-6"
    >
      <div id={wish}>
        <p>
          May <span className="font-mono">{visibleText(tool)}</span> be used on this?
        </p>
        <p
          dir="ltr"
          className="bg-shade border-line mt-1.5 max-h-40 overflow-auto rounded-sm border px-2.5 py-1.5 font-mono wrap-anywhere whitespace-pre-wrap"
        >
          {visibleText(target)}
        </p>
      </div>
      {preview && <PreviewView preview={preview} />}
      {onDecide ? (
        <Answers wish={wish} call={call} isAsked={asking.kind === 'asked'} onDecide={onDecide} />
      ) : (
        <p className="text-soft">
          You cannot decide on this: calls of tools are decided on by operators and above. An admin of this
          server finds it under Approvals.
        </p>
      )}
      {asking.kind === 'refused' && <Notice>{asking.reason}</Notice>}
    </section>
  )
}

interface AnswersProps {
  /** The id of what says what is asked. */
  readonly wish: string
  readonly call: WaitingCall
  readonly isAsked: boolean
  readonly onDecide: SessionReader['decide']
}

function Answers({ wish, call, isAsked, onDecide }: AnswersProps) {
  const { grant } = call
  const reach = useId()
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          look="main"
          aria-describedby={wish}
          aria-disabled={isAsked}
          onClick={() => onDecide(call, 'allow')}
        >
          Allow once
        </Button>
        {grant && (
          <Button
            aria-describedby={reach}
            aria-disabled={isAsked}
            onClick={() => onDecide(call, 'allow_session')}
          >
            Allow for this session
          </Button>
        )}
        <Button aria-describedby={wish} aria-disabled={isAsked} onClick={() => onDecide(call, 'refuse')}>
          Refuse
        </Button>
      </div>
      {grant && (
        <p id={reach} className="text-soft wrap-anywhere">
          “For this session” lets <span className="font-mono">{visibleText(grant.tool)}</span> be used on
          exactly <span className="font-mono">{visibleText(grant.target)}</span> without asking again, until
          the session ends.
        </p>
      )}
    </>
  )
}
