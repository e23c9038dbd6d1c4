import type { WaitingCall } from '@parley/api-client'
import { useId, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useFocusAfter } from './message-box.ts'
import type { SessionReader } from './session-reader.ts'
import type { Asking } from './session-state.ts'
import { visibleText } from './visible-text.ts'

interface WaitingCallProps {
  readonly call: WaitingCall
  readonly asking: Asking
  readonly onDecide: SessionReader['decide']
}

/** What a call wants to do, and the person's say in it. */
export function WaitingCallView({ call: { callId, tool, target }, asking, onDecide }: WaitingCallProps) {
  const wish = useId()
  const box = useRef<HTMLElement>(null)
  useFocusAfter(box)
  const isAsked = asking.kind === 'asked'
  return (
    <section
      ref={box}
      aria-label="A call waits for you"
      className="border-accent flex flex-col gap-3 border-s-2 ps-4 text-sm leading-6"
    >
      <div id={wish}>
        <p>
          May <span className="font-mono">{visibleText(tool)}</span> be used on this?
        </p>
        <p className="bg-shade border-line mt-1.5 rounded-sm border px-2.5 py-1.5 font-mono wrap-anywhere whitespace-pre-wrap">
          {visibleText(target)}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          look="main"
          aria-describedby={wish}
          aria-disabled={isAsked}
          onClick={() => onDecide(callId, 'allow')}
        >
          Allow once
        </Button>
        <Button aria-describedby={wish} aria-disabled={isAsked} onClick={() => onDecide(callId, 'refuse')}>
          Refuse
        </Button>
      </div>
      {asking.kind === 'refused' && <Notice>{asking.reason}</Notice>}
    </section>
  )
}
