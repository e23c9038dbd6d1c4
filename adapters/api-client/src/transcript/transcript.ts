import type { OpenTurn, SessionMessage, SessionView } from '@parley/contracts'
import { storedTurns } from './stored-turns.ts'
import type { ToldTurn } from './told-turn.ts'
import type { TranscriptTurn } from './transcript-turn.ts'

/** What a reader knows of a session: the stored messages it has fetched, and the turns that events told of. */
export interface Transcript {
  /** A run of the session's messages, in order. Turns before the first of them are not shown. */
  readonly messages: readonly SessionMessage[]
  readonly told: readonly ToldTurn[]
  /** The number of the last event taken in: where reading goes on. */
  readonly seen: number
  /** Events up to this number are the past: they do not say what is open now. */
  readonly openedAt: number
  readonly openTurn: OpenTurn | undefined
}

/**
 * The transcript as the last messages of a session show it. Messages tell neither what an open turn says nor why
 * one has no answer; where that matters the events are read from their beginning.
 */
export function openTranscript(
  { lastSequence, openTurn }: Pick<SessionView, 'lastSequence' | 'openTurn'>,
  messages: readonly SessionMessage[],
): Transcript {
  const seen = openTurn === undefined && storedTurns(messages).every(isAnswered) ? lastSequence : 0
  return { messages, told: [], seen, openedAt: lastSequence, openTurn }
}

/** A turn without text may have been gone on with, and failed again without a word. */
const isAnswered = ({ state, parts }: TranscriptTurn): boolean =>
  (state === 'completed' || state === 'cancelled') && parts.at(-1)?.kind === 'text'

/** The transcript with the messages that come right before those it has. */
export function withEarlier(transcript: Transcript, earlier: readonly SessionMessage[]): Transcript {
  const first = transcript.messages[0]?.sequenceNumber ?? Number.POSITIVE_INFINITY
  const added = earlier.filter(({ sequenceNumber }) => sequenceNumber < first)
  return { ...transcript, messages: [...added, ...transcript.messages] }
}
