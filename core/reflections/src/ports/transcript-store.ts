import type { SessionId, SessionMessage } from '@parley/contracts'

/** A message of a call, before it has its place in a session. */
export type TranscriptMessage = Pick<SessionMessage, 'role' | 'content' | 'cutShort' | 'timestamp'>

/** A transcript as a source of the reflection. */
export interface TranscriptSource {
  readonly title: string
  /** In the format of session transcripts. */
  readonly text: string
}

/** A call that a session is or was bound to. */
interface CallOfSession {
  readonly sessionId: SessionId
  readonly providerConversationId: string
}

export interface EarlierCall extends CallOfSession {
  /** The time at which another call replaced it. */
  readonly boundUntil: string
  /** The transcript of a later call has arrived and waits for this one. */
  readonly isAwaited: boolean
}

export interface TakenCall extends CallOfSession {
  /** The start of the call. The calls of a session are stored in this order. */
  readonly startedAt: string
  readonly messages: readonly TranscriptMessage[]
  /** Taken as the session's title if it has none. */
  readonly title: string
  /** Set if the session is learned from. */
  readonly source?: TranscriptSource
}

/** Stores the transcripts of sessions with reflections, once. Each method is one transaction and may be repeated. */
export interface TranscriptStore {
  /**
   * Appends a call's transcript to the session's messages. `held`: an earlier call of the session has no transcript yet;
   * this one follows it. `gone`: the session was removed, so nothing is stored.
   */
  take(call: TakenCall): Promise<'taken' | 'held' | 'taken-before' | 'gone'>
  /** Stops waiting for a call's transcript, if the call was bound before this time. A later transcript is still taken. */
  giveUp(
    call: CallOfSession,
    given: { readonly boundBefore: string; readonly failure?: string },
  ): Promise<void>
  /** A replaced call without a transcript. */
  findEarlier(providerConversationId: string): Promise<EarlierCall | undefined>
  /** Calls that were replaced before this time, and those that a held transcript waits for. */
  listEarlierWithoutTranscript(before: string, limit: number): Promise<readonly EarlierCall[]>
  /** Active sessions whose conversation ended, was removed, or has been silent since then. */
  listAbandoned(silentSince: string, limit: number): Promise<readonly SessionId[]>
  /** Runs the work unless another process is running it. */
  runExclusively(work: () => Promise<void>): Promise<'done' | 'busy'>
}
