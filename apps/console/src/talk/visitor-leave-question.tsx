import { useEffect, useState } from 'react'
import { LeavePanel } from './leave-panel.tsx'
import type { LeaveQuestionProps } from './talk-host.ts'
import type { AskBeforeMove } from './visitor-address.ts'

interface VisitorLeaveQuestionProps extends LeaveQuestionProps {
  readonly askBeforeMove: AskBeforeMove
}

/** Asks before a running call is left by the browser's Back key. */
export function VisitorLeaveQuestion({ isOn, askBeforeMove }: VisitorLeaveQuestionProps) {
  const [move, setMove] = useState<() => void>()
  useEffect(() => (isOn ? askBeforeMove((go) => setMove(() => go)) : undefined), [isOn, askBeforeMove])
  // A call that is over by itself has a summary to read.
  useEffect(() => {
    if (!isOn) setMove(undefined)
  }, [isOn])
  return (
    <LeavePanel isAsked={move !== undefined} onStay={() => setMove(undefined)} onLeave={() => move?.()}>
      The call is over once you leave it.
    </LeavePanel>
  )
}
