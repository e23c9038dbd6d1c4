/** The rules of reflections: access, publishing, sharing, prompt packs, sessions and sync. Start reading at starting/plan-session.ts. */
export type { Verdict } from './approval/evaluate-artifacts.ts'
export { type ArtifactsChange, artifactsDiff } from './artifacts/artifacts-diff.ts'
export {
  type Ledger,
  type LedgerFact,
  type LedgerFault,
  erasedVerdicts,
  ledgerEntryOf,
  payloadHashOf,
  verifyLedger,
} from './artifacts/verify-ledger.ts'
export { previewPublish, type PublicPreview } from './artifacts/preview-publish.ts'
export { type Rebuilt, rebuildVoice } from './artifacts/rebuild-voice.ts'
export { createModelNarrator } from './dossier/model-narrator.ts'
export type { Narrator } from './ports/narrator.ts'
export type {
  ArtifactStore,
  Build,
  PromotedArtifacts,
  PromotedEvidence,
  RuntimeReader,
} from './ports/artifact-store.ts'
export type { AgentTest, TestResult } from './ports/agent-test.ts'
export type {
  ConversationStatus,
  ConversationSummary,
  ProviderConversation,
  TranscriptEntry,
  TranscriptToolCall,
} from './ports/provider-conversation.ts'
export type { HeaderValue, ParameterSource, ServerTool, ToolParameter } from './ports/server-tool.ts'
export type {
  AgentNotUsable,
  AgentSummary,
  ConversationPage,
  ConversationQuery,
  ConversationToken,
  EnsuredWebhook,
  HeldAgent,
  HeldTool,
  SignedUrl,
  TestRun,
  TransportNotUsable,
  VoiceProvider,
  WantedWebhook,
} from './ports/voice-provider.ts'
export type { WebhookClaims } from './ports/webhook-claims.ts'
export { AgentTemplate, type AgentTemplateInput } from './template/agent-template.ts'
export type { TemplatePack } from './template/build-elevenlabs-agent-template.ts'
export { genericPack } from './template/generic-pack.ts'
export { type Difference, differencesOf } from './template/differences-of.ts'
export { deriveSessionMode, type SessionHints } from './modes/derive-session-mode.ts'
export { sessionActions } from './modes/session-actions.ts'
export { isAtLeast } from './modes/role-order.ts'
export { mayEnter, mayEnterSession, type SessionPerson, type SessionUse } from './access/may-enter.ts'
export {
  currentReach,
  currentSessionRole,
  isBeyondReach,
  type NamespaceReach,
  type ReflectionReader,
  type SessionRoleHost,
} from './access/session-role.ts'
export { publishedNamespaces, visibleNamespaces } from './access/visible-namespaces.ts'
export { keepsSessionsOpen, shareLinkState, type ShareLinkState } from './sharing/share-link-state.ts'
export { decideSessionAccess } from './planning/decide-session-access.ts'
export { settleVoiceKind } from './planning/settle-voice-kind.ts'
export { decideToolCall, decideToolProof, SAY_GOODBYE } from './planning/decide-tool-call.ts'
export type {
  EarlierCall,
  TakenCall,
  TranscriptMessage,
  TranscriptSource,
  TranscriptStore,
} from './ports/transcript-store.ts'
export { messagesOfConversation } from './transcripts/messages-of-conversation.ts'
export { transcriptSource } from './transcripts/transcript-source.ts'
export type { ReflectionSession, ReflectionSessionStore } from './ports/reflection-session-store.ts'
export type { RuntimeAgents, ServerAgentKind, SurfaceAgent } from './ports/runtime-agents.ts'
export type {
  LinkUsage,
  LinkUsageQuery,
  NewShareLink,
  ShareLink,
  ShareLinkStore,
} from './ports/share-link-store.ts'
export type { PromotedHashes, RuntimeNow, ServerAgent, SurfaceSync, SyncStore } from './ports/sync-store.ts'
export { agentOfPack, firstMessageOfPack, type ModelChoice } from './packs/agent-of-pack.ts'
export { exploreNext, stillToExplore } from './interview/explore-next.ts'
export { type InterviewerPack, interviewerPack } from './interview/interviewer-pack.ts'
export { VISITOR_CAPS, decideVisit, usageToday, visitorBudget } from './sharing/visitor-caps.ts'
export { lookOfLink } from './sharing/look-of-link.ts'
export { type Names, publicStatement } from './dossier/public-statement.ts'
export { type ChosenPack, choosePack } from './packs/choose-pack.ts'
export { narrowArtifacts } from './packs/narrow-pack.ts'
export {
  computeConversationBindSig,
  configuredBindingVerificationSecrets,
  verifyConversationBindSig,
} from './binding/conversation-bind-sig.ts'
export {
  buildSessionDynamicExtras,
  EXTRAS_MS,
  type LoadedExtras,
  settleSurface,
} from './starting/build-session-dynamic-extras.ts'
export type { EarlierSession, ExtraSources, ExtrasOf, Saying } from './starting/extras-of.ts'
export { type StartTime, inTime } from './starting/start-session.ts'
export { type ReflectionSessions, createReflectionSessions } from './sessions/reflection-sessions.ts'
export type {
  ReflectionSessionsHost,
  SpokenKind,
  StartedAnswers,
  StartKind,
} from './sessions/sessions-host.ts'
export { NO_FOLDER, requirePlan, type StartRequest } from './sessions/start-request.ts'
export { endSession, sourceOfSession } from './sessions/end-session.ts'
export { refuseBeyondReach, refuseOutdated, refuseWithoutTranscript } from './sessions/refuse-session.ts'
export { loadPromoted, sessionSources } from './sessions/session-sources.ts'
export { requirePack } from './packs/session-pack.ts'
export { takeTranscript } from './transcripts/take-transcript.ts'
export { type Wait, withinDeadline } from './starting/within-deadline.ts'
export {
  partOfPublished,
  type PlanRefused,
  planSession,
  type SessionPlan,
  type SessionQuestion,
} from './starting/plan-session.ts'
export type { ErrorReporter, SpokenHost } from './starting/starting-host.ts'
export { variablesFor, wholeVariablesFor } from './starting/prepare-conversation.ts'
export { type AgentTestsHost, agentTestsOf, runAgentTests } from './agent-tests/run-agent-tests.ts'
export { auditAgents, repairAgents } from './sync/audit-agents.ts'
export { auditServerAgents, createRuntimeAgents, repairServerAgents } from './sync/create-runtime-agents.ts'
export { closeAgent } from './sync/close-agent.ts'
export { type SyncHost, createToolKeeper } from './sync/sync-host.ts'
export { agentSurfacesOf, surfaceNow } from './sync/surface-now.ts'
export { readNow, syncReflectionRuntime } from './sync/sync-reflection-runtime.ts'
export { genericInstead, publicUnreadable, resolveSessionAgent } from './starting/resolve-session-agent.ts'
export { lookAtVariables } from './variables/look-at-variables.ts'
