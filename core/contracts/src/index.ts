/** The shapes that cross a border: ids, messages, events, files, API bodies, error codes. */
export { Agent, KebabId } from './agent.ts'
export {
  Cancelled,
  IdempotencyKey,
  ListSessions,
  MAX_MESSAGE_LENGTH,
  MAX_SEQUENCE,
  Me,
  MessagePage,
  ReadEvents,
  ReadMessages,
  SendMessage,
  SessionPage,
  SessionRef,
  SessionView,
  StartSession,
  TurnAccepted,
} from './api-bodies.ts'
export {
  BaseUrl,
  ChatConfig,
  ConfigFile,
  type McpServerConfig,
  ModelReference,
  OnExceed,
  ProviderConfig,
  ProviderKind,
  ProviderName,
  VariableName,
} from './config-file.ts'
export { DurableContentPart, MediaHandle, ToolCall, ToolOutcome } from './content-part.ts'
export { ErrorCode, TurnErrorCode } from './error-code.ts'
export { ERROR_TITLE } from './error-title.ts'
export { findSecret } from './find-secret.ts'
export { CallId, MessageId, PersonId, SessionId, StepId, TurnId } from './ids.ts'
export { issueInWords } from './issue-in-words.ts'
export { Json } from './json.ts'
export { moneyOf, shortMoneyOf } from './money-of.ts'
export { nearest } from './nearest.ts'
export { type ErrorDetail, PlatformError } from './platform-error.ts'
export { Problem } from './problem.ts'
export { Role } from './role.ts'
export {
  CallRef,
  DecideApproval,
  ForkSession,
  MediaRef,
  RenameSession,
  ResumeSession,
  ShortenedSession,
  TrimSession,
} from './session-bodies.ts'
export { FsScopeTier, SessionContext } from './session-context.ts'
export {
  ApprovalDecision,
  EventEnvelope,
  RESERVED_EVENT_TYPES,
  SessionEvent,
  StopReason,
  TurnError,
  TurnEvent,
  UnstampedEvent,
  Usage,
} from './session-event.ts'
export { MessageRole, SessionMessage } from './session-message.ts'
export { AgentSession, Channel, ModelCost, OpenTurn, SessionCosts, SessionStatus } from './session.ts'
export { unknownKey } from './strict-object.ts'
export { WorkflowNode } from './workflow-node.ts'
export { WorkflowDefinition, WorkflowFile } from './workflow.ts'
