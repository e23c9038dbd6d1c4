import type { SessionId, SessionMessage } from '@parley/contracts'

/** A message of a call, before it has its place in a session. */
export type TranscriptMessage = Pick<SessionMessage, 'role' | 'content' | 'cutShort' | 'timestamp'>

/** What was said, as a source of the reflection. */
export interface TranscriptSource {
  readonly title: string
  /** In the format of session transcripts. */
  readonly text: string
}

/** A call that a session is bound to, or was before another took its place. */
export interface CallOfSession {
  readonly sessionId: SessionId
  readonly providerConversationId: string
}

export interface EarlierCall extends CallOfSession {
  /** When another took its place. */
  readonly boundUntil: string
  /** The transcript of a later call has come; it waits until this one arrives or is given up. */
  readonly isAwaited: boolean
}

export interface TakenCall extends CallOfSession {
  /** When the call began: the calls of a session stand in this order. */
  readonly startedAt: string
  readonly messages: readonly TranscriptMessage[]
  /** Taken as the session's title if it has none. */
  readonly title: string
  /** Where it is learned from. */
  readonly source?: TranscriptSource
}

/**
 * Keeps what was said in sessions with reflections, once: each call is one transaction, and may be made again with the
 * same outcome.
 */
export interface TranscriptStore {
  /**
   * Makes a call's transcript the session's next messages. `held`: nothing was heard yet of an earlier call of the
   * session, and it is taken after that one. `gone`: the session was removed, and nothing is kept.
   */
  take(call: TakenCall): Promise<'taken' | 'held' | 'taken-before' | 'gone'>
  /**
   * Nothing was heard of a call: why, where that is a failure. Only of one that was bound before. It is waited for no
   * more; if its transcript comes after all, it is taken.
   */
  giveUp(
    call: CallOfSession,
    given: { readonly boundBefore: string; readonly failure?: string },
  ): Promise<void>
  /** One that its session is no longer bound to, while nothing was heard of it. */
  findEarlier(providerConversationId: string): Promise<EarlierCall | undefined>
  /** Those that another took the place of before, and those that a held transcript waits for. */
  earlierUnheard(before: string, limit: number): Promise<readonly EarlierCall[]>
  /** Ends the session, and hands in what was typed in it where that is learned from. False where it had ended. */
  close(sessionId: SessionId, source?: TranscriptSource): Promise<boolean>
  /** Sessions that are on, whose conversation was ended, was removed, or has been silent since. */
  leftOpen(silentSince: string, limit: number): Promise<readonly SessionId[]>
  /** Does the work, unless another process is at it. */
  alone(work: () => Promise<void>): Promise<'done' | 'busy'>
}
