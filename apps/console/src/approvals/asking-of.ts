import { PlatformError } from '@parley/contracts'
import type { Asking } from '../session/session-state.ts'
import { messageOf } from '../ui/message-of.ts'

interface Deciding {
  readonly isPending: boolean
  readonly error: Error | null
}

/** How an answer to a call stands. */
export function askingOf({ isPending, error }: Deciding): Asking {
  if (isPending) return { kind: 'asked' }
  if (!error) return { kind: 'nothing' }
  return { kind: 'refused', reason: reasonOf(error) }
}

const reasonOf = (error: Error): string =>
  error instanceof PlatformError && error.code === 'approval_not_pending'
    ? 'Your answer was not used: this was decided elsewhere meanwhile, or it changed. The list shows in a moment how it stands.'
    : messageOf(error)
