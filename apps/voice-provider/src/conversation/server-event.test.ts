import type {
  AgentChatResponsePart,
  AgentResponse,
  AgentResponseCorrection,
  AgentToolRequestMessage,
  AgentToolResponseFullPayloadMessage,
  AgentToolResponseMessage,
  Audio,
  ClientToolCallMessage,
  ConversationMetadata,
  ErrorMessage,
  Interruption,
  Ping,
  UserTranscript,
  VadScore,
} from '@elevenlabs/types'
import { expectTypeOf, test } from 'vitest'
import type { ServerEvent } from './server-event.ts'

type VendorEvent =
  | AgentChatResponsePart
  | AgentResponse
  | AgentResponseCorrection
  | AgentToolRequestMessage
  | AgentToolResponseFullPayloadMessage
  | AgentToolResponseMessage
  | Audio
  | ClientToolCallMessage
  | ConversationMetadata
  | ErrorMessage
  | Interruption
  | Ping
  | UserTranscript
  | VadScore

// Checked by the type checker.
test('[X2] every event matches the vendor’s published schema', () => {
  expectTypeOf<ServerEvent>().toExtend<VendorEvent>()
})
