import type { CallId, MessageId, SessionEvent, SessionId, StepId, TurnEvent, TurnId } from '@parley/contracts'

const sessionId = 'ses_1' as SessionId
export const turnId = 'trn_1' as TurnId
const timestamp = '2026-01-02T03:04:05.000Z'

export const stamped = (sequenceNumber: number, event: TurnEvent, fromSequence?: number): SessionEvent => ({
  ...event,
  sessionId,
  sequenceNumber,
  timestamp,
  ...(fromSequence !== undefined && { fromSequence }),
})
export const question = (messageNumber: number, id = turnId): TurnEvent => ({
  type: 'session:turn_started',
  turnId: id,
  message: {
    id: `msg_${messageNumber}` as MessageId,
    sessionId,
    sequenceNumber: messageNumber,
    role: 'user',
    content: [{ type: 'text', text: 'Why?' }],
    timestamp,
  },
})
export const token = (text: string, step = 'stp_1', id = turnId): TurnEvent => ({
  type: 'agent:token',
  turnId: id,
  stepId: step as StepId,
  token: text,
  model: 'm',
})
export const reasoning = (text: string, step = 'stp_1', id = turnId): TurnEvent => ({
  type: 'agent:reasoning',
  turnId: id,
  stepId: step as StepId,
  text,
  model: 'm',
})
export const completed = (given: object = {}, id = turnId): TurnEvent => ({
  type: 'session:turn_completed',
  turnId: id,
  stopReason: 'completed',
  usage: { inputTokens: 1, outputTokens: 1 },
  ...given,
})
export const call = { id: 'call-1' as CallId, name: 'read_file', input: {} }
export const outcome = { kind: 'ok', text: '42' } as const
