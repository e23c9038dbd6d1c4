/** The shapes that cross a border: ids, messages, events, files, API bodies, error codes. */
export { Agent, AgentMemory, WrittenAgent } from './agent.ts'
export { agentSchemaFlaws, jsonFlaws } from './json-schema.ts'
export {
  CallRef,
  Cancelled,
  DecideApproval,
  ForkSession,
  IdempotencyKey,
  MAX_MESSAGE_LENGTH,
  MAX_SEQUENCE,
  Me,
  MediaRef,
  MessagePage,
  ReadEvents,
  ReadMessages,
  RenameSession,
  ResumeSession,
  SecretIdempotencyKey,
  SendMessage,
  SessionRef,
  SessionReflection,
  SessionView,
  ShortenedSession,
  StartSession,
  TrimSession,
  TurnAccepted,
} from './api-bodies.ts'
export { LedgerEntry, LedgerPage, LedgerStage, StoredGeneration } from './artifact-ledger.ts'
export { BaseUrl } from './base-url.ts'
export { Citation, CitationPage, ReadCitations } from './citation.ts'
export {
  ChatConfig,
  ConfigFile,
  ModelReference,
  PROVIDER_KINDS,
  ProviderConfig,
  ProviderKind,
  ProviderName,
  VariableName,
  type WebSearchConfig,
} from './config-file.ts'
export { DurableContentPart, MediaHandle, ToolCall, ToolOutcome } from './content-part.ts'
export { IRREGULAR_VERBS, KIN_WORDS, MONTHS, NUMBER_WORDS } from './english-words.ts'
export { ErrorCode, TurnErrorCode } from './error-code.ts'
export { ERROR_TITLE } from './error-title.ts'
export { ExportedWorkflow, WorkflowDefinition, WorkflowFile, WorkflowNode } from './exported-session.ts'
export { FactChoice, FactHistory, FactOrder, FactPage, FactQuery, FactRef } from './fact-bodies.ts'
export { findSecret, findSecretsIn, writePath } from './find-secret.ts'
export {
  FailedJob,
  Health,
  HealthCharts,
  HealthFailure,
  HealthRange,
  HealthSeries,
  JobRef,
  JobRetried,
  ProbeProvider,
  ProcessHealth,
  ProviderHealth,
  QueueHealth,
  ReadHealth,
  RouteHealth,
} from './health.ts'
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
export { isLocalUrl, LOCAL_LINK_NOTE } from './link-reach.ts'
export { linkStanding, type LinkStanding } from './link-standing.ts'
export { type McpServerConfig, type NamedMcpServer } from './mcp-server.ts'
export { kebabIdSchema } from './kebab-id.ts'
export { missingOfVoice } from './missing-of-voice.ts'
export { moneyOf, shortMoneyOf } from './money-of.ts'
export { MySettings } from './my-settings.ts'
export { nearest } from './nearest.ts'
export { PageQuery } from './page.ts'
export { type ErrorDetail, PlatformError } from './platform-error.ts'
export { Problem } from './problem.ts'
export {
  CONVERSATION_OVER,
  INTERVIEW_LINE,
  OPEN_QUESTIONS_LABEL,
  readReflectionLine,
  writeReflectionLine,
} from './prompt-lines.ts'
export { ProviderVoice, ProviderVoices } from './provider-voice.ts'
export { PreviewPublish, PublishNamespaces, PublishPreview, UnpublishNamespaces } from './publish-preview.ts'
export { ReflectionSummary } from './reflection-summary.ts'
export {
  AddNamespace,
  Approval,
  ChangeReflection,
  CONVERSATIONS,
  CreateReflection,
  Invitation,
  InviteMember,
  Member,
  MemberNamespaces,
  MemberRole,
  Namespace,
  NamespaceName,
  NothingMore,
  Reflection,
  ReflectionRef,
  ReflectionVoice,
  type SettledChange,
  SetMember,
} from './reflection.ts'
export { readsInWords } from './reads-in-words.ts'
export {
  AskReflection,
  AuditPage,
  CorrectionAccepted,
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
export { FsScopeTier, OnExceed, type SessionContext, SessionContextSchema } from './session-context.ts'
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
export { ListedSession, ListSessions, SessionPage } from './session-list.ts'
export { HistoryMarker, MessageRole, type SessionMessage, SessionMessageSchema } from './session-message.ts'
export {
  type AgentSession,
  AgentSessionSchema,
  Channel,
  ModelCost,
  OpenTurn,
  SessionCosts,
  SessionStatus,
  StartedOrFailed,
} from './session.ts'
export {
  CreatedShareLink,
  CreateShareLink,
  SharedReflection,
  ShareLink,
  ShareLinkList,
  ShareLinkRef,
  ShareTokenRef,
  StartVisit,
} from './share-link.ts'
export { SignIn } from './sign-in.ts'
export { type SourcePassage, SourceText, SourceTextQuery } from './source-text.ts'
export { unknownKey } from './strict-object.ts'
export { CreatedToken, CreateToken, TokenPage, TokenRef } from './token-bodies.ts'
export {
  CallProposeFactCorrection,
  CallRequestSourceIngest,
  CallRetrieveContext,
  CorrectionProposed,
  IngestRequested,
  ToldEvidence,
} from './tool-bodies.ts'
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
  unknownTool,
  WebSearchInput,
  WriteFileInput,
} from './tool-input.ts'
export {
  AgentDrift,
  ServerAgentDrift,
  AgentTestReport,
  AuditAgents,
  DriftReport,
  SurfaceStatus,
  SyncReflection,
  SyncStatus,
  TestAgents,
} from './sync-bodies.ts'
export { type CallSummary, TurnPage, TurnSummary } from './turn-summary.ts'
export { unfenced } from './unfenced.ts'
export {
  AgentKind,
  ExploreNext,
  LookAtVariables,
  LookedVariable,
  VARIABLES_BUDGET,
  VariableFate,
  VariablesLook,
  VariablesPlan,
} from './variable-bodies.ts'
export {
  Capsule,
  ContentHash,
  type Dossier,
  DossierSection,
  PackKind,
  PrivateDossier,
  PromptPack,
  PublicDossier,
  SyncMetadata,
  SyncState,
  VoiceArtifacts,
  VoiceEvidence,
  VoiceEvidencePack,
  WrittenSentence,
} from './voice-artifacts.ts'
export {
  MobileSessionResponse,
  MobileVisitResponse,
  ReconnectSession,
  SessionWarning,
  StartAnySession,
  StartedSession,
  StartedVisit,
  StartVoiceSession,
  Transport,
  VoiceSessionResponse,
  VoiceVisitResponse,
} from './voice-bodies.ts'
export { AgentSurface, AgentType, Audience, SessionMode, Surface, VoiceAction } from './voice.ts'
export { WaitingApproval, WaitingApprovals } from './waiting-approvals.ts'
export { type Access, type Endpoint } from './http/endpoint.ts'
export { ENDPOINTS, type EndpointName, TAGS } from './http/endpoints.ts'
export { isStorable, UNSTORABLE } from './storable.ts'
