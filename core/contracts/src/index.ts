/** The shapes that cross a border: ids, messages, events, files, API bodies, error codes. */
export { Agent } from './agent.ts'
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
export { BaseUrl } from './base-url.ts'
export {
  ChatConfig,
  ConfigFile,
  ModelReference,
  OnExceed,
  ProviderConfig,
  ProviderKind,
  ProviderName,
  VariableName,
  type WebSearchConfig,
} from './config-file.ts'
export { DurableContentPart, MediaHandle, ToolCall, ToolOutcome } from './content-part.ts'
export { ErrorCode, TurnErrorCode } from './error-code.ts'
export { ERROR_TITLE } from './error-title.ts'
export { findSecret } from './find-secret.ts'
export {
  CallId,
  FactId,
  IngestRunId,
  MessageId,
  NamespaceId,
  PatchId,
  PersonId,
  ReflectionId,
  SessionId,
  SourceId,
  StepId,
  TurnId,
} from './ids.ts'
export { issueInWords } from './issue-in-words.ts'
export { Json } from './json.ts'
export {
  AddSource,
  Evidence,
  EvidenceItem,
  Fact,
  FactState,
  Finding,
  IngestOutcome,
  IngestPhase,
  MAX_SOURCE_BYTES,
  Patch,
  PatchStatus,
  Place,
  ProposeCorrection,
  Retrieved,
  ReviewPatch,
  Source,
} from './knowledge.ts'
export { type McpServerConfig, type NamedMcpServer } from './mcp-server.ts'
export { KebabId } from './kebab-id.ts'
export { moneyOf, shortMoneyOf } from './money-of.ts'
export { nearest } from './nearest.ts'
export { PageQuery } from './page.ts'
export { type ErrorDetail, PlatformError } from './platform-error.ts'
export { Problem } from './problem.ts'
export {
  AddNamespace,
  Approval,
  ChangePublished,
  ChangeReflection,
  CONVERSATIONS,
  CreateReflection,
  Member,
  MemberRole,
  Namespace,
  NamespaceName,
  Reflection,
  ReflectionRef,
  SetMember,
} from './reflection.ts'
export {
  AskReflection,
  AuditPage,
  CorrectionAccepted,
  FactPage,
  FactQuery,
  MemberList,
  MemberRef,
  PatchPage,
  PatchQuery,
  PatchRef,
  ReflectionPage,
  SourcePage,
  SourceRef,
} from './reflection-bodies.ts'
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
  Preview,
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
export { CreatedToken, CreateToken, TokenPage, TokenRef } from './token-bodies.ts'
export { ToolGrant } from './tool-grant.ts'
export {
  EditFileInput,
  GitCommitInput,
  GitStatusInput,
  HttpRequestInput,
  ListDirectoryInput,
  McpCallInput,
  type ParsedInput,
  ReadFileInput,
  RunCommandInput,
  SearchFilesInput,
  ToolName,
  type ToolInput,
  toolInput,
  WebSearchInput,
  WriteFileInput,
} from './tool-input.ts'
export { unfenced } from './unfenced.ts'
export { WorkflowNode } from './workflow-node.ts'
export { WorkflowDefinition, WorkflowFile } from './workflow.ts'
