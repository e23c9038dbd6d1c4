/** The rules of reflections: access, sessions, publishing, sharing, prompt packs and sync. Start reading at sessions/reflection-sessions.ts. */
export { checkMemberChange, checkReflectionChange, checkTokenRole } from './access/check-changes.ts'
export {
  createConfidentialFilter,
  removeConfidentialEvidence,
  toReadableFacts,
  toReadablePatch,
} from './access/confidential.ts'
export { enterReflection, listReflections, type WritableReach } from './access/enter-reflection.ts'
export { issueToken } from './access/issue-token.ts'
export { inviteMember, leaveReflection, removeMember, renewInvitation, setMember } from './access/members.ts'
export { findCurrentRole } from './access/session-role.ts'
export { requireKnownNamespaces } from './access/visible-namespaces.ts'
export {
  createTokenFilter,
  decideSignInExpiry,
  refuseNamespaceChoice,
  refuseNonAdmin,
  refuseOtherSession,
  SIGN_IN_SECONDS,
} from './access/token-rules.ts'
export { type ArtifactsChange, diffArtifacts, toPackPart } from './artifacts/diff-artifacts.ts'
export { previewPublicContent, type PublicPreview } from './artifacts/preview-public-content.ts'
export { rebuildVoice } from './artifacts/rebuild-voice.ts'
export {
  countErasedVerdicts,
  createLedgerEntry,
  hashPayload,
  type Ledger,
  type LedgerDecision,
  type LedgerFault,
  verifyLedger,
} from './artifacts/verify-ledger.ts'
export { createModelNarrator, type Narrator } from './dossier/model-narrator.ts'
export { exploreNext, listOpenQuestions } from './interview/explore-next.ts'
export type {
  ArtifactBuild,
  ArtifactStore,
  PromotedArtifacts,
  ArtifactReader,
} from './ports/artifact-store.ts'
export type { ReflectionSession, ReflectionSessionStore } from './ports/reflection-session-store.ts'
export type { LinkUsage, ShareLinkStore } from './ports/share-link-store.ts'
export type { PromotedHashes, VoiceAgents, AgentsState, SurfaceSync, SyncStore } from './ports/sync-store.ts'
export type {
  EarlierCall,
  TakenCall,
  TranscriptMessage,
  TranscriptSource,
  TranscriptStore,
} from './ports/transcript-store.ts'
export type {
  AgentNotUsable,
  AgentTest,
  ConversationPage,
  ConversationStatus,
  EnsuredWebhook,
  HeaderValue,
  ParameterSource,
  ProviderAgent,
  ProviderConversation,
  ProviderTool,
  ServerTool,
  SignedUrl,
  TestResult,
  ToolParameter,
  TranscriptEntry,
  VoiceProvider,
  WantedWebhook,
  WebhookClaims,
} from './ports/voice-provider.ts'
export {
  previewPublishing,
  refuseConversations,
  requirePublishable,
} from './publishing/preview-publishing.ts'
export { removeReflection } from './publishing/remove-reflection.ts'
export { unpublishNamespaces } from './publishing/withdraw-content.ts'
export { type AskQuestion, createAskQuestion } from './retrieval/ask-reflection.ts'
export { createRetrieveForSession, type RetrieveForSession } from './retrieval/retrieve-for-session.ts'
export {
  endAnySession,
  exportAnySession,
  forkAnySession,
  removeAnySession,
} from './sessions/change-any-session.ts'
export { describeReflectionSession, readCitations } from './sessions/describe-session.ts'
export { buildSessionSource } from './sessions/end-session.ts'
export { checkReplayedSession } from './sessions/check-replayed-session.ts'
export { type EnteredSession, enterSession, enterToReconnect } from './sessions/enter-session.ts'
export {
  findFailedStart,
  listFailedStarts,
  describeListed,
  refuseOthersSessions,
  createSessionScope,
  viewSession,
} from './sessions/list-sessions.ts'
export { createOffRecord, endOffRecordSession, type OffRecord } from './sessions/off-record.ts'
export { previewSession } from './sessions/preview-session.ts'
export { createReflectionSessions, type ReflectionSessions } from './sessions/reflection-sessions.ts'
export { startAnySession } from './sessions/start-any-session.ts'
export { listWaitingApprovals } from './sessions/waiting-approvals.ts'
export { createShareLink, revokeShareLink } from './sharing/manage-share-links.ts'
export {
  createVisits,
  findVisitor,
  createInvalidLinkError,
  type VisitResponse,
} from './sharing/start-visit.ts'
export {
  createUsageQuery,
  createVisitorId,
  createVisitorLimits,
  VISITOR_CAPS,
} from './sharing/visitor-caps.ts'
export { describeLink, toVisitorEvents } from './sharing/visitor-view.ts'
export {
  addSource,
  findReadableSource,
  findReplaceableSource,
  type KnowledgeMember,
  removeSource,
} from './sources/change-sources.ts'
export { checkReview } from './sources/check-source-change.ts'
export { findReadablePatch, reviewPatch } from './sources/review-patch.ts'
export { createMemberPromptInputs } from './starting/load-prompt-inputs.ts'
export type { EarlierMessage } from './starting/prompt-inputs.ts'
export { buildSessionDynamicExtras } from './starting/session-variables.ts'
export type { CallClient } from './starting/start-voice-conversation.ts'
export { failOverdueStarts, startInTime } from './starting/start-session.ts'
export type { ErrorReporter, VoiceHost } from './starting/starting-host.ts'
export { auditAgents } from './sync/audit-agents.ts'
export { type AgentCleanup, createAgentCleanup } from './sync/close-agents.ts'
export { createVoiceAgents } from './sync/create-voice-agents.ts'
export { refreshVoiceListing, resolveListedVoice } from './sync/listed-voice.ts'
export { createAgentSync, type AgentSync, toReadableStatus } from './sync/agent-sync.ts'
export { createToolKeeper, type SyncHost } from './sync/sync-host.ts'
export { AgentTemplate } from './template/agent-template.ts'
export { type FieldDifference, findDifferences } from './template/find-differences.ts'
export { callFromProvider, type CallOrigin } from './tools/action-handlers.ts'
export {
  computeConversationBindSig,
  configuredBindingVerificationSecrets,
  verifyConversationBindSig,
} from './tools/conversation-bind-sig.ts'
export { decideToolProof } from './tools/decide-tool-call.ts'
export { createReflectionTools, type ReflectionToolsHost } from './tools/reflection-tools.ts'
export { receiveCallEvent, reconcileCalls } from './transcripts/reconcile-calls.ts'
