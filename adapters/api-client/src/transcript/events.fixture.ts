import type {
  ApprovalDecision,
  CallId,
  MessageId,
  SessionEvent,
  SessionId,
  SessionMessage,
  StepId,
  TurnEvent,
  TurnId,
} from '@parley/contracts'

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
export const message = (sequenceNumber: number, given: Partial<SessionMessage>): SessionMessage => ({
  id: `msg_${sequenceNumber}` as MessageId,
  sessionId,
  sequenceNumber,
  role: 'user',
  content: [{ type: 'text', text: 'Why?' }],
  timestamp,
  ...given,
})
export const question = (messageNumber: number, id = turnId): TurnEvent => ({
  type: 'session:turn_started',
  turnId: id,
  message: message(messageNumber, {}),
})
/** The same question, continued. */
export const continued = (messageNumber: number, id = turnId): TurnEvent =>
  ({ ...question(messageNumber, id), continued: true }) as TurnEvent
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
export const discarded = (step: string, id = turnId): TurnEvent => ({
  type: 'agent:step_discarded',
  turnId: id,
  stepId: step as StepId,
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
export const requested = (target: string, id = turnId, callId = call.id): TurnEvent => ({
  type: 'agent:approval_requested',
  turnId: id,
  callId,
  tool: call.name,
  target,
})
export const answered = (decision: ApprovalDecision, id = turnId, callId = call.id): TurnEvent => ({
  type: 'agent:approval_answered',
  turnId: id,
  callId,
  decision,
})
