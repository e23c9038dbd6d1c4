import { type Transcript, turnsOf } from '@parley/api-client'
import type { SessionId, TurnId } from '@parley/contracts'
import type { Keep } from '../app/keep.ts'
import { textOf } from './text-of.ts'

/** A message on its way. It leaves the outbox when the transcript shows it, and not before. */
export interface Outgoing {
  /** The same at every attempt, so that the server takes the message once. */
  readonly key: string
  readonly text: string
  /** The last turn there was when it was written: its own comes later. */
  readonly afterTurn: number
  readonly state: 'sending' | 'accepted' | 'failed'
  readonly turnId?: TurnId
  readonly reason?: string
}

/** The messages that the transcript does not show yet. One that nobody confirmed is known by its words. */
export function stillOut(outbox: readonly Outgoing[], transcript: Transcript): readonly Outgoing[] {
  if (outbox.length === 0) return outbox
  const turns = turnsOf(transcript)
  const arrived = ({ text, afterTurn, turnId }: Outgoing) =>
    transcript.told.some((turn) => turn.turnId === turnId) ||
    turns.some(({ key, question }) => key > afterTurn && question !== undefined && textOf(question) === text)
  return outbox.some(arrived) ? outbox.filter((outgoing) => !arrived(outgoing)) : outbox
}

const nameOf = (sessionId: SessionId) => `session.${sessionId}.outbox`

/** What was under way when the page was left may or may not have arrived; sent again, it is not doubled. */
export function keptOutbox(keep: Keep, sessionId: SessionId): readonly Outgoing[] {
  const kept = keep.read(nameOf(sessionId))
  if (kept === undefined) return []
  const outbox = JSON.parse(kept) as readonly Outgoing[]
  return outbox.map(({ key, text, afterTurn }) => ({ key, text, afterTurn, state: 'failed' }))
}

export function keepOutbox(keep: Keep, sessionId: SessionId, outbox: readonly Outgoing[]): void {
  keep.write(nameOf(sessionId), outbox.length === 0 ? undefined : JSON.stringify(outbox))
}
