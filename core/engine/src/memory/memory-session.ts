import type { MediaHandle, OpenTurn, SessionMessage } from '@parley/contracts'
import type {
  Batch,
  Lease,
  Media,
  OpenedTurn,
  SessionQuery,
  AgentSessionRecord,
  StoredEvent,
  TurnOpening,
} from '../ports/session-store.ts'

export type HandleOf = (bytes: Uint8Array) => MediaHandle

/** A session in memory. */
export interface MemorySession {
  session: AgentSessionRecord['session']
  lastSequence: number
  readonly messages: SessionMessage[]
  readonly events: StoredEvent[]
  readonly openings: Map<string, OpenedTurn>
  readonly media: Map<MediaHandle, Media>
  epoch: number
  turns: number
  reservedUpTo: number
  open?: { turnId: OpenTurn['turnId']; openedAt: number; holder?: Holder; isCancelAsked: boolean } | undefined
}

/** A process as the store knows it. */
export interface Holder {
  isAlive: boolean
  readonly watches: Map<Lease, () => void>
}

export function toRecord(kept: MemorySession): AgentSessionRecord {
  const { session, lastSequence } = kept
  const openTurn = toOpenTurn(kept)
  return { session, lastSequence, ...(openTurn && { openTurn }) }
}

export function toOpenTurn({ open }: MemorySession): OpenTurn | undefined {
  if (!open) return undefined
  const { turnId, holder } = open
  if (!holder) return { turnId, state: 'waiting' }
  return { turnId, state: holder.isAlive ? 'running' : 'interrupted' }
}

/** Continues after all numbers that may have been used. */
export function createLease(
  kept: MemorySession,
  { reserve, ...turn }: Pick<TurnOpening, 'sessionId' | 'turnId' | 'reserve'>,
) {
  const eventSequence = kept.reservedUpTo + 1
  const skipped = eventSequence > kept.lastSequence + 1 ? { fromSequence: kept.lastSequence + 1 } : {}
  kept.epoch += 1
  kept.reservedUpTo = eventSequence + reserve
  return { ...turn, ...skipped, epoch: kept.epoch, eventSequence, reservedUpTo: kept.reservedUpTo }
}

type Numbered = ReturnType<typeof createLease>

export function storeOpening(
  kept: MemorySession,
  { sessionId, question, event }: TurnOpening,
  lease: Numbered,
  handleOf: HandleOf,
) {
  const { eventSequence, fromSequence, turnId } = lease
  let message = kept.messages.length
  if (question.kind === 'new') {
    message += 1
    const stored: SessionMessage = {
      ...question.message,
      sessionId,
      turnId,
      sequenceNumber: message,
      role: 'user',
    }
    kept.messages.push(stored)
    for (const media of question.media ?? []) kept.media.set(handleOf(media.bytes), media)
    kept.session = { title: question.title, ...kept.session, messageCount: message }
    const { idempotencyKey } = question
    if (idempotencyKey !== undefined)
      kept.openings.set(idempotencyKey, { turnId, message: stored, eventSequence })
  } else message = question.sequenceNumber
  kept.session = { ...kept.session, updatedAt: event.timestamp }
  kept.lastSequence = eventSequence
  kept.events.push({
    ...event,
    ...(fromSequence !== undefined && { fromSequence }),
    sequenceNumber: eventSequence,
    of: { message, part: 0 },
  })
}

export function updateOpenTurn(
  lease: Batch['lease'],
  open: NonNullable<MemorySession['open']>,
): MemorySession['open'] {
  if (lease === 'ended') return undefined
  if (lease === 'kept') return open
  return { turnId: open.turnId, openedAt: open.openedAt, isCancelAsked: false }
}

/** Whether this session matches the list's filter. */
export function matchesQuery(query: Omit<SessionQuery, 'limit' | 'cursor'>, kept: MemorySession): boolean {
  const { ownerId, channel, status, turn, reflectionId, search } = query
  const { session } = kept
  return (
    (ownerId === undefined || session.ownerId === ownerId) &&
    (channel === undefined || session.channel === channel) &&
    (status === undefined || session.status === status) &&
    (turn === undefined || toOpenTurn(kept)?.state === turn) &&
    reflectionId === undefined &&
    (search === undefined || matchesSearch(search, kept))
  )
}

function matchesSearch(search: string, { session, messages }: MemorySession): boolean {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((part) => {
      if (part.type === 'tool_result') return [part.outcome.text]
      return 'text' in part ? [part.text] : []
    }),
  )
  return [session.title ?? '', ...texts].some((text) => text.toLowerCase().includes(search.toLowerCase()))
}

export const toListKey = ({ session }: AgentSessionRecord) => `${session.updatedAt} ${session.id}`
