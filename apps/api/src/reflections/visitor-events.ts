import { ERROR_TITLE, type SessionEvent } from '@parley/contracts'

/** Events as a visitor is told of them: what is wrong between us and a provider by its title, not by hosts and settings. */
export async function* toldToVisitor(events: AsyncGenerator<SessionEvent>): AsyncGenerator<SessionEvent> {
  for await (const event of events) yield plain(event)
}

function plain(event: SessionEvent): SessionEvent {
  if (event.type !== 'session:turn_completed' || !event.error?.code.startsWith('provider_')) return event
  const { error } = event
  return { ...event, error: { ...error, message: `${ERROR_TITLE[error.code]}.` } }
}
