import type { MessageId, SessionId, TurnId } from '@parley/contracts'

/** Makes ids that nobody can guess. */
export interface IdSource {
  sessionId(): SessionId
  messageId(): MessageId
  turnId(): TurnId
}

/** `suffix` gives a new unguessable text of lower-case letters and digits at each call. */
export const createIdSource = (suffix: () => string): IdSource => ({
  sessionId: () => `ses_${suffix()}` as SessionId,
  messageId: () => `msg_${suffix()}` as MessageId,
  turnId: () => `trn_${suffix()}` as TurnId,
})
