import { PlatformError, type SessionId, type SessionMessage } from '@parley/contracts'
import type { RepeatedTurn } from '../ports/session-store.ts'
import type { SentMessage } from './requests.ts'
import { settleSession } from './settle-turn.ts'
import type { RecorderHost } from './turn-recorder.ts'

/** The turn that an earlier request with this key opened. Ends it if its process died, since the client waits for its end. */
export async function settleRepeatedSend(
  sessionId: SessionId,
  key: string | undefined,
  content: SessionMessage['content'],
  host: RecorderHost,
): Promise<SentMessage | undefined> {
  const earlier = key === undefined ? undefined : await host.store.findRepeatedTurn(sessionId, key)
  if (!earlier) return undefined
  const sent = toSentMessage(earlier, content)
  await settleSession(sessionId, host)
  return sent
}

function toSentMessage(
  { turnId, message, eventSequence }: RepeatedTurn,
  content: SessionMessage['content'],
): SentMessage {
  if (JSON.stringify(toComparableParts(message.content)) === JSON.stringify(toComparableParts(content)))
    return { turnId, firstSequence: eventSequence }
  throw new PlatformError('idempotency_conflict', {
    message: 'This Idempotency-Key was used for another message.',
  })
}

/** The parts to compare, regardless of key order; media are equal if their bytes are. */
const toComparableParts = (content: SessionMessage['content']) =>
  content.map((part) =>
    part.type === 'media' ? part.handle : part.type === 'text' ? [part.text] : part.type,
  )
