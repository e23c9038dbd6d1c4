/** A session that is being started, is on, or came to its end. */
export type VoiceStatus = 'starting' | 'active' | 'failed' | 'ended'

export interface BindQuestion {
  readonly status: VoiceStatus
  /** The provider's own id of the conversation that the session is bound to. */
  readonly boundTo?: string | undefined
  readonly providerConversationId: string
  readonly isAfterDeadline: boolean
}

export type BindOutcome =
  | 'activate'
  /** It is bound to just this: nothing is left to do. */
  | 'already-bound'
  /** A new connection of a session that is on takes the place of the one before. */
  | 'rebind'
  /** The session failed or ended before the answer came; the answer is dropped. */
  | 'too-late'

/** What becomes of a provider's answer: one that comes late never wakes a session that failed. */
export function decideProviderBindOutcome({
  status,
  boundTo,
  providerConversationId,
  isAfterDeadline,
}: BindQuestion): BindOutcome {
  if (status === 'failed' || status === 'ended') return 'too-late'
  if (status === 'active')
    return boundTo === providerConversationId ? 'already-bound' : isAfterDeadline ? 'too-late' : 'rebind'
  return isAfterDeadline ? 'too-late' : 'activate'
}
