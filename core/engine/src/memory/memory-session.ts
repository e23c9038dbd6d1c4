import type { MediaHandle, OpenTurn, SessionMessage } from '@parley/contracts'
import type {
  Batch,
  Lease,
  Media,
  RepeatedTurn,
  SessionQuery,
  AgentSessionRecord,
  StoredEvent,
  NewTurn,
} from '../ports/session-store.ts'

export type ToMediaHandle = (bytes: Uint8Array) => MediaHandle

/** A session in memory. */
export interface MemorySession {
  session: AgentSessionRecord['session']
  lastSequence: number
  readonly messages: SessionMessage[]
  readonly events: StoredEvent[]
  readonly openings: Map<string, RepeatedTurn>
  readonly media: Map<MediaHandle, Media>
  epoch: number
  turns: number
  reservedUpTo: number
  open?:
    | { turnId: OpenTurn['turnId']; openingEventNumber: number; holder?: Holder; isCancelRequested: boolean }
    | undefined
}

/** A process as the store knows it. */
export interface Holder {
  isAlive: boolean
  readonly watches: Map<Lease, () => void>
}

export function toAgentSessionRecord(stored: MemorySession): AgentSessionRecord {
  const { session, lastSequence } = stored
  const openTurn = getOpenTurn(stored)
  return { session, lastSequence, ...(openTurn && { openTurn }) }
}

export function getOpenTurn({ open }: MemorySession): OpenTurn | undefined {
  if (!open) return undefined
  const { turnId, holder } = open
  if (!holder) return { turnId, state: 'waiting' }
  return { turnId, state: holder.isAlive ? 'running' : 'interrupted' }
}

/** The numbers of a new lease, after all that may have been used. */
export function leaseSession(
  stored: MemorySession,
  { sessionId, turnId, reserve }: Pick<NewTurn, 'sessionId' | 'turnId' | 'reserve'>,
) {
  const eventSequence = stored.reservedUpTo + 1
  const skipped = eventSequence > stored.lastSequence + 1 ? { fromSequence: stored.lastSequence + 1 } : {}
  stored.epoch += 1
  stored.reservedUpTo = eventSequence + reserve
  const { epoch, reservedUpTo } = stored
  return { sessionId, turnId, ...skipped, epoch, eventSequence, reservedUpTo }
}

export type LeaseNumbers = ReturnType<typeof leaseSession>

export function storeOpening(
  stored: MemorySession,
  { question, event }: NewTurn,
  { eventSequence, fromSequence, sessionId, turnId }: LeaseNumbers,
  toMediaHandle: ToMediaHandle,
) {
  if (question.kind === 'new') {
    const sequenceNumber = stored.messages.length + 1
    const message: SessionMessage = { ...question.message, sessionId, turnId, sequenceNumber, role: 'user' }
    stored.messages.push(message)
    for (const media of question.media ?? []) stored.media.set(toMediaHandle(media.bytes), media)
    stored.session = { title: question.title, ...stored.session, messageCount: sequenceNumber }
    const { idempotencyKey } = question
    if (idempotencyKey !== undefined) stored.openings.set(idempotencyKey, { turnId, message, eventSequence })
  }
  stored.session = { ...stored.session, updatedAt: event.timestamp }
  stored.lastSequence = eventSequence
  const message = question.kind === 'new' ? stored.messages.length : question.sequenceNumber
  stored.events.push({
    ...event,
    ...(fromSequence !== undefined && { fromSequence }),
    sequenceNumber: eventSequence,
    messageRef: { message, part: 0 },
  })
}

export function updateOpenTurn(
  lease: Batch['lease'],
  open: NonNullable<MemorySession['open']>,
): MemorySession['open'] {
  if (lease === 'ended') return undefined
  if (lease === 'kept') return open
  return { turnId: open.turnId, openingEventNumber: open.openingEventNumber, isCancelRequested: false }
}

/** Whether this session matches the list's filter. */
export function matchesQuery(query: Omit<SessionQuery, 'limit' | 'cursor'>, stored: MemorySession): boolean {
  const { ownerId, channel, status, turn, reflectionId, search } = query
  const { session } = stored
  return (
    (ownerId === undefined || session.ownerId === ownerId) &&
    (channel === undefined || session.channel === channel) &&
    (status === undefined || session.status === status) &&
    (turn === undefined || getOpenTurn(stored)?.state === turn) &&
    reflectionId === undefined &&
    (search === undefined || matchesSearch(search, stored))
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
