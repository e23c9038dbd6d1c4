import { ERROR_TITLE, type SessionEvent } from '@parley/contracts'

/** Events for a visitor. A provider's failure shows only its title, since its message names hosts and settings. */
export async function* toVisitorEvents(events: AsyncGenerator<SessionEvent>): AsyncGenerator<SessionEvent> {
  for await (const event of events) yield withoutProviderDetails(event)
}

function withoutProviderDetails(event: SessionEvent): SessionEvent {
  if (event.type !== 'session:turn_completed' || !event.error?.code.startsWith('provider_')) return event
  const { error } = event
  return { ...event, error: { ...error, message: `${ERROR_TITLE[error.code]}.` } }
}
