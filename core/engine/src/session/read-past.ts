import type { SessionId, SessionMessage } from '@parley/contracts'
import type { PastMessage, SessionPast } from '../window/plan-window.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { reconstructSessionState, removeFailedSteps } from './reconstruct-session-state.ts'
import { type NoteHost, createRolledBackNote } from './rolled-back-note.ts'

export interface PastHost extends NoteHost {
  readonly store: NoteHost['store'] & Pick<SessionStore, 'readMessages'>
}

const PAGE = 300

interface ReadPastOptions {
  /** The part already known, up to the end of a turn that has an answer or a successor. */
  readonly known?: SessionPast & { readonly lastMessageNumber: number }
  /** Later messages, only used for their markers. */
  readonly later?: readonly SessionMessage[]
}

/**
 * Reads backwards from message `upTo` to the last marker, to the known part, or to the start. A turn without an answer
 * becomes one note as soon as it is read, however many messages it has.
 */
export async function readPast(
  sessionId: SessionId,
  upTo: number,
  host: PastHost,
  { known = { past: [], lastMessageNumber: 0 }, later = [] }: ReadPastOptions = {},
): Promise<SessionPast> {
  let marker = findLastMarker(later)
  let unread = upTo
  let unfinished: readonly SessionMessage[] = []
  let past: readonly PastMessage[] = []
  const start = () => Math.max(known.lastMessageNumber, getLastOmitted(marker))
  while (unread > start()) {
    const after = Math.max(known.lastMessageNumber, unread - PAGE)
    const page = await host.store.readMessages(sessionId, { after, limit: unread - after })
    marker ??= findLastMarker(page)
    unread = after
    const isAll = unread <= start()
    const candidates = [...page, ...unfinished].filter(({ sequenceNumber }) => sequenceNumber > start())
    // Messages after the known part may belong to its last turn, such as the greeting of a call.
    const first = candidates.find((message) => !message.marker)
    if (unread > 0 && unread === known.lastMessageNumber && first && first.role !== 'user')
      return readPast(sessionId, upTo, host, { later })
    // The first turn of a page may begin on an earlier page.
    const [, second] = reconstructSessionState(candidates)
    const from = isAll ? 0 : (second?.messages[0]?.sequenceNumber ?? Infinity)
    unfinished = candidates.filter(({ sequenceNumber }) => sequenceNumber < from)
    const turns = await readPastTurns(
      candidates.filter(({ sequenceNumber }) => sequenceNumber >= from),
      host,
    )
    past = [...turns.flatMap(toPastMessages), ...past]
  }
  const earlier = known.past.filter(({ sequenceNumber = 0 }) => sequenceNumber > getLastOmitted(marker))
  const [part] = marker?.content ?? []
  const summary = marker ? part?.type === 'text' && part.text : known.summary
  return { past: [...earlier, ...past], ...(typeof summary === 'string' && { summary }) }
}

export type PastTurn =
  | { readonly kind: 'completed'; readonly messages: readonly SessionMessage[] }
  | { readonly kind: 'rolled-back'; readonly note: SessionMessage }

/** The turns of a transcript in order; a note replaces each that has no answer, or had none before a fork. */
export async function readPastTurns(
  messages: readonly SessionMessage[],
  host: NoteHost,
): Promise<readonly PastTurn[]> {
  const turns: PastTurn[] = messages.flatMap((message) =>
    message.marker?.kind === 'rolled_back' ? [{ kind: 'rolled-back', note: message }] : [],
  )
  for (const turn of reconstructSessionState(messages)) {
    if (turn.outcome === 'completed') turns.push({ kind: 'completed', messages: turn.messages })
    else {
      const note = await createRolledBackNote(turn, host)
      if (note) turns.push({ kind: 'rolled-back', note })
    }
  }
  return turns.toSorted((a, b) => getFirstMessageNumber(a) - getFirstMessageNumber(b))
}

const getFirstMessageNumber = (turn: PastTurn): number =>
  (turn.kind === 'completed' ? turn.messages[0] : turn.note)?.sequenceNumber ?? 0

/** A note is a message, since quoted text must not enter the system prompt. */
function toPastMessages(turn: PastTurn): readonly PastMessage[] {
  if (turn.kind === 'completed') return removeFailedSteps(turn.messages)
  const { content, sequenceNumber } = turn.note
  return [{ role: 'user', content, sequenceNumber, isNote: true }]
}

const findLastMarker = (messages: readonly SessionMessage[]): SessionMessage | undefined =>
  messages.findLast(({ marker }) => marker && marker.kind !== 'rolled_back')

/** The last message that a marker omits. */
const getLastOmitted = (message: SessionMessage | undefined): number =>
  message?.marker && message.marker.kind !== 'rolled_back' ? message.marker.uptoSequence : 0
