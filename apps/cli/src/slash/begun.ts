import { PlatformError, type SessionId } from '@parley/contracts'
import type { Conversation } from '../talk/conversation.ts'

/** The session that is talked in. Throws while nothing was said. */
export function begun({ sessionId }: Pick<Conversation, 'sessionId'>): SessionId {
  if (sessionId) return sessionId
  throw new PlatformError('validation', {
    message: 'Nothing was said in this session yet.',
    mend: 'Say something first.',
  })
}
