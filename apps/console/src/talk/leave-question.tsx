import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useShell } from '../shell/shell-context.ts'
import { LeavePanel } from './leave-panel.tsx'
import type { LeaveQuestionProps } from './talk-host.ts'

/** Asks before a running call is left for another page, or by signing out. */
export function LeaveQuestion({ isOn, isItsOwn }: LeaveQuestionProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to] = [current, next].map(({ search }) =>
        'session' in search ? search.session : undefined,
      )
      const isStaying = next.pathname === current.pathname && (from === to || isItsOwn(to))
      return isOn && !isStaying
    },
    enableBeforeUnload: false,
    withResolver: true,
  })
  const { askBeforeSignOut } = useShell()
  const [signOut, setSignOut] = useState<() => void>()
  useEffect(
    () => (isOn ? askBeforeSignOut((go) => setSignOut(() => go)) : undefined),
    [isOn, askBeforeSignOut],
  )
  // A call that is over by itself has a summary to read.
  useEffect(() => {
    if (isOn) return
    reset?.()
    setSignOut(undefined)
  }, [isOn, reset])
  const stay = () => {
    reset?.()
    setSignOut(undefined)
  }
  const leave = () => {
    proceed?.()
    signOut?.()
    setSignOut(undefined)
  }
  return (
    <LeavePanel isAsked={status === 'blocked' || signOut !== undefined} onStay={stay} onLeave={leave}>
      The call is over once you {signOut ? 'sign out' : 'leave this page'}.
    </LeavePanel>
  )
}
