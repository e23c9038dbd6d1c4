/** The status of a session with a reflection. */
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
  /** It is bound to this conversation already. */
  | 'already-bound'
  /** A new connection of an active session replaces the previous one. */
  | 'rebind'
  /** The session failed or ended before the answer came; the answer is dropped. */
  | 'too-late'

/** Decides about a provider's credential. A late one never revives a failed session. */
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
