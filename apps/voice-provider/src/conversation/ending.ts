import type { ConversationRecord } from './conversation-record.ts'
import type { ErrorType } from './server-event.ts'

/** Why a conversation ends. */
export type EndingKind =
  | 'client-closed'
  | 'client-lost'
  | 'end-call'
  | 'ended-by-monitor'
  | 'silence'
  | 'max-duration'
  | 'refused'
  | 'abuse'
  | 'stuck'
  | 'cut-on-purpose'
  | 'server-stops'
  | 'failure'

export interface Ending {
  readonly kind: EndingKind
  /** What this one is about, in place of the usual words. */
  readonly reason?: string
  readonly errorType?: ErrorType
}

interface EndingRule {
  /** What the socket is closed with; undefined where it is cut, or closed already. */
  readonly code?: 1000 | 1001 | 1008 | 1011
  readonly reason: string
  readonly status: Extract<ConversationRecord['status'], 'done' | 'failed'>
  /** The client is told by an error event as well. */
  readonly errorType?: ErrorType
}

export const ENDINGS: Readonly<Record<EndingKind, EndingRule>> = {
  'client-closed': { reason: 'Client disconnected', status: 'done' },
  'client-lost': { reason: 'The client gave no sign of life', status: 'done' },
  'end-call': { code: 1000, reason: 'end_call tool was called.', status: 'done' },
  'ended-by-monitor': { code: 1000, reason: 'The call was ended by the operator', status: 'done' },
  silence: { code: 1000, reason: 'The person was silent for too long', status: 'done' },
  'max-duration': {
    code: 1000,
    reason: 'Conversation exceeded its maximum duration',
    status: 'done',
    errorType: 'max_duration_exceeded',
  },
  refused: { code: 1008, reason: 'The conversation could not begin', status: 'failed' },
  abuse: {
    code: 1008,
    reason: 'The client does not keep to the protocol',
    status: 'failed',
    errorType: 'invalid_message',
  },
  stuck: { reason: 'The client does not read what it is sent', status: 'failed' },
  'cut-on-purpose': { reason: 'The connection was cut, as a fault rule asked for', status: 'failed' },
  'server-stops': { code: 1001, reason: 'The server stops', status: 'done' },
  failure: { code: 1011, reason: 'The server failed', status: 'failed' },
}
