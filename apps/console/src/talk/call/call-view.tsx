import { type ReactNode, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { Entry } from '../../session/turn-view.tsx'
import { useFollowEnd } from '../../session/use-follow-end.ts'
import { focusIfLost } from '../../ui/focus-if-lost.ts'
import { CitedView } from '../citations/cited-view.tsx'
import { useTalkHost } from '../talk-host.ts'
import { CallControls } from './call-controls.tsx'
import { type CallLine, heardLines, isStill } from './call-state.ts'
import type { Call } from './create-call.ts'

interface CallViewProps {
  readonly call: Call
  /** Below what was said: the summary, or what went wrong. */
  readonly children: ReactNode
}

/** A call while it is on: what is said, who speaks, and what can be done. */
export function CallView({ call, children }: CallViewProps) {
  const state = useSyncExternalStore(call.subscribe, call.state)
  const { box, keep } = useFollowEnd()
  useLayoutEffect(keep)
  const isSpoken = !isStill(state.phase)
  // What had the keys is often gone with the phase; on End they would hang up where Enter is pressed twice.
  useEffect(() => focusIfLost(box.current), [box, state.phase.kind])
  return (
    <>
      <div
        ref={box}
        role="log"
        aria-label="Transcript"
        // It is heard already: read aloud, it would be spoken into the microphone as well.
        aria-live={isSpoken ? 'off' : 'polite'}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 outline-offset-[-3px] sm:px-8"
      >
        <div className="mx-auto flex min-h-full max-w-[38rem] flex-col gap-5 lg:max-w-[45.5rem]">
          {heardLines(state.lines).map((line) => (
            <LineView key={line.id} line={line} />
          ))}
          {children}
        </div>
      </div>
      {isSpoken && <CallControls call={call} state={state} />}
    </>
  )
}

function LineView({ line: { who, text, isCut, whole = text, citations } }: { line: CallLine }) {
  const { name } = useTalkHost()
  const isYou = who === 'you'
  return (
    <Entry role={isYou ? 'user' : 'assistant'} name={isYou ? 'You' : name}>
      <p className="font-serif text-[1.0625rem] leading-[1.65rem] wrap-anywhere whitespace-pre-wrap">
        {text}
        {isCut && (
          <span className="text-soft" title="You heard it until here">
            — <span className="font-sans text-sm">interrupted</span>
          </span>
        )}
      </p>
      {citations && <CitedView answer={whole} citations={citations} />}
    </Entry>
  )
}
