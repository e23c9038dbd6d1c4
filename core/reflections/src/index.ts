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
export {
  publishedNamespaces,
  refuseUnknownNamespace,
  visibleNamespaces,
} from './access/visible-namespaces.ts'
export { checkMemberChange, checkReflectionChange, checkTokenRole } from './access/check-changes.ts'
export {
  canReadConfidential,
  canReadSource,
  confidentialFilter,
  readableFacts,
  readablePatch,
  withoutConfidentialEvidence,
} from './access/confidential.ts'
export { enterReflection, type MemberReach, refuseWrite } from './access/enter-reflection.ts'
export { checkTokenExpiry, decideTokenAccess, refuseNonAdmin, tokenReach } from './access/token-rules.ts'
export { previewPublishing } from './publishing/preview-publishing.ts'
export { removeReflection } from './publishing/remove-reflection.ts'
export { stopEndedSessions } from './publishing/stop-ended-sessions.ts'
export { checkReview, refuseTranscript } from './sources/check-source-change.ts'
export { type RetrieveForSession, createRetrieveForSession } from './retrieval/retrieve-for-session.ts'
export { toPublicEvidence } from './retrieval/evidence-names.ts'
export { type CallOrigin, callFromProvider } from './tools/action-handlers.ts'
export { type ReflectionToolsHost, createReflectionTools } from './tools/reflection-tools.ts'
export { keepsSessionsOpen, shareLinkState, type ShareLinkState } from './sharing/share-link-state.ts'
export { decideSessionAccess } from './planning/decide-session-access.ts'
export { noteListedVoice, settleListedVoice } from './planning/listed-voice.ts'
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
export { VISITOR_CAPS, usageToday, visitorId, visitorLimits } from './sharing/visitor-caps.ts'
export { describeLink } from './sharing/describe-link.ts'
export { createShareLink, revokeShareLink } from './sharing/manage-share-links.ts'
export { type StartedVisit, createVisits, invalidLink } from './sharing/start-visit.ts'
export { toVisitorEvents } from './sharing/visitor-events.ts'
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
export { describeReflectionSession, readCitations } from './sessions/describe-session.ts'
export {
  type EnteredSession,
  enterCall,
  enterSession,
  mayExportAgent,
  refuseOffRecord,
} from './sessions/enter-session.ts'
export {
  findFailedStart,
  listFailedStarts,
  listSessions,
  refuseOthersSessions,
  sessionScope,
  viewSession,
} from './sessions/list-sessions.ts'
export { type OffRecord, createOffRecord } from './sessions/off-record.ts'
export { endAnySession, forkAnySession, removeAnySession } from './sessions/change-any-session.ts'
export { previewSession } from './sessions/preview-session.ts'
export { startAnySession } from './sessions/start-any-session.ts'
export { listWaitingApprovals } from './sessions/waiting-approvals.ts'
export { refuseBeyondReach, refuseOutdated, refuseWithoutTranscript } from './sessions/refuse-session.ts'
export { loadPromoted, sessionSources } from './sessions/session-sources.ts'
export { requirePack } from './packs/session-pack.ts'
export { receiveCallEvent, reconcileCalls } from './transcripts/reconcile-calls.ts'
export { failOverdueStarts } from './starting/fail-overdue-starts.ts'
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
export { type AgentCleanup, createAgentCleanup } from './sync/close-outdated-agents.ts'
export { type RuntimeSync, createRuntimeSync, withoutHashes } from './sync/runtime-sync.ts'
export { type SyncHost, createToolKeeper } from './sync/sync-host.ts'
export { agentSurfacesOf, surfaceNow } from './sync/surface-now.ts'
export { readNow, syncReflectionRuntime } from './sync/sync-reflection-runtime.ts'
export { genericInstead, publicUnreadable, resolveSessionAgent } from './starting/resolve-session-agent.ts'
