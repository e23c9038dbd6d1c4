/** The session engine: turns, events and the ports it needs of the world. Start reading at turn/run-agent-turn.ts. */
export { createRunEventBus } from './events/run-event-bus.ts'
export { readTurnPage } from './events/read-events.ts'
export { exportSessionYaml } from './export/export-session.ts'
export { findAgentInputProblems } from './context/agent-input.ts'
export { parseStrictYaml } from './files/parse-strict-yaml.ts'
export { createCallEvents } from './events/call-events.ts'
export { packEvent, packEvents } from './events/stored-event.ts'
export { createMemorySessionStore } from './memory/memory-session-store.ts'
export { deInlineMedia, type InFlightPart, listMedia } from './media/de-inline-media.ts'
export { MEDIA_HEAD_BYTES, detectMediaType, isModelMedia } from './media/media-type.ts'
export type { StreamedEvent } from './events/step-text.ts'
export type { Clock } from './ports/clock.ts'
export { type IdSource, createIdSource } from './ports/id-source.ts'
export type { EventRelay, RelayInbound } from './ports/event-relay.ts'
export type {
  LlmMessage,
  ContentPart,
  ModelEvent,
  ModelPort,
  ModelRequest,
  Price,
  ToolDeclaration,
} from './ports/model.ts'
export type {
  Batch,
  Lease,
  Media,
  BetweenTurnsWrite,
  RepeatedTurn,
  SessionQuery,
  AgentSessionRecord,
  SessionStore,
  StoredEvent,
  TakeOver,
  TurnStore,
  NewTurn,
} from './ports/session-store.ts'
export { noTools, type ToolRegistry, type ToolSession } from './ports/tools.ts'
export {
  type AnyTool,
  type ToolCallPlan,
  type ToolCallRefusal,
  type Tool,
  type RawToolResult,
  type ToolsHost,
  createToolRegistry,
  createToolCallRefusal,
} from './tools/tool-registry.ts'
export { narrowTools } from './tools/narrow-tools.ts'
export { maskValue, maskSecrets, type Secret } from './tools/mask-secrets.ts'
export { readAllMessages } from './session/read-all-messages.ts'
export { areConsecutive, areRising } from './session/sequence-numbers.ts'
export { reconstructSessionState } from './session/reconstruct-session-state.ts'
export { readApprovalRequest } from './session/read-approval-request.ts'
export { toSessionView } from './session/to-session-view.ts'
export { createSessionTitle } from './session/start-session.ts'
export { DEFAULT_LIMITS } from './session/sessions-host.ts'
export type { NewSession, SentMessage } from './session/requests.ts'
export {
  type EventColumns,
  type MessageColumns,
  type SessionColumns,
  toSessionMessage,
  toSessionRecord,
  toStoredEvents,
} from './ports/session-rows.ts'
export { createSessions, type Sessions } from './session/sessions.ts'
export { isStored } from './session/turn-recorder.ts'
export { type Wait, withinDeadline } from './time/within-deadline.ts'
export { requestJsonLines } from './turn/request-json-lines.ts'
export { runAgentTurn } from './turn/run-agent-turn.ts'
export type { SessionLimits } from './turn/turn.ts'
export { waitUnlessAborted } from './wait-unless-aborted.ts'
export { parseWorkflow } from './workflow/parse-workflow.ts'
