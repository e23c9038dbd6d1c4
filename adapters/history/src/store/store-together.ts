import type { SessionId } from '@parley/contracts'
import { type Batch, packEvents } from '@parley/engine'
import { toMessageRows } from './rows.ts'
import type { Statements } from './statements.ts'

/** Events stand in the row of the message that is stored with them, or in one of their own. */
export function storeTogether(
  { insertMessage, insertEvents }: Statements,
  sessionId: SessionId,
  { messages, events }: Pick<Batch, 'messages' | 'events'>,
): void {
  for (const row of toMessageRows(messages, events)) insertMessage.run(row)
  const last = events.at(-1)
  if (messages.length === 0 && last)
    insertEvents.run({
      session_id: sessionId,
      event_last: last.sequenceNumber,
      events: packEvents(events),
    })
}
