import type { SessionId, StepId, TurnId } from '@parley/contracts'
import type { StreamedEvent } from '@parley/engine'

export const SESSION = 'ses_1' as SessionId

export const createTokenEvent = (sequenceNumber: number, text = 'x', sessionId = SESSION): StreamedEvent => ({
  type: 'agent:token',
  sessionId,
  turnId: 'trn_1' as TurnId,
  stepId: 'stp_1' as StepId,
  sequenceNumber,
  timestamp: '2026-03-04T05:06:07.000Z',
  token: text,
  model: 'm',
})
