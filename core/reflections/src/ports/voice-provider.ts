import type { Json, ProviderVoice } from '@parley/contracts'
import type { AgentTemplate } from '../template/agent-template.ts'
import type { AgentTest, TestResult } from './agent-test.ts'
import type { ConversationSummary, ProviderConversation } from './provider-conversation.ts'
import type { ServerTool } from './server-tool.ts'

/**
 * The service that runs spoken conversations. Each method throws `provider_auth`, `provider_rate_limit`, `provider_unavailable`,
 * `validation` if the provider rejects the input, or `cancelled` on an abort.
 */
export interface VoiceProvider {
  createAgent(template: AgentTemplate, signal: AbortSignal): Promise<string>
  updateAgent(
    agentId: string,
    template: AgentTemplate,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'updated' } | AgentNotUsable>
  readAgent(agentId: string, signal: AbortSignal): Promise<HeldAgent | AgentNotUsable>
  /** Does nothing if the agent does not exist; the same holds for every `remove…` here. */
  removeAgent(agentId: string, signal: AbortSignal): Promise<void>
  listAgents(signal: AbortSignal): Promise<readonly AgentSummary[]>

  /** Valid for one WebSocket connection. */
  getSignedUrl(agentId: string, signal: AbortSignal): Promise<SignedUrl | AgentNotUsable>
  /** Valid for one WebRTC connection. */
  getConversationToken(
    agentId: string,
    signal: AbortSignal,
  ): Promise<ConversationToken | AgentNotUsable | TransportNotUsable>

  /** Undefined for an unknown conversation. */
  readConversation(conversationId: string, signal: AbortSignal): Promise<ProviderConversation | undefined>
  listConversations(query: ConversationQuery, signal: AbortSignal): Promise<ConversationPage>
  /** Hangs up a running call. Throws if the provider's plan does not offer that. */
  endConversation(conversationId: string, signal: AbortSignal): Promise<void>
  removeConversation(conversationId: string, signal: AbortSignal): Promise<void>

  /** Creates or updates the tool with this name and address; returns its id. */
  ensureTool(tool: ServerTool, signal: AbortSignal): Promise<string>
  /** Undefined if the tool does not exist or is not called over HTTP. */
  readTool(toolId: string, signal: AbortSignal): Promise<HeldTool | undefined>
  removeTool(toolId: string, signal: AbortSignal): Promise<void>
  /** Creates or updates the secret; returns its id. */
  ensureSecret(name: string, value: string, signal: AbortSignal): Promise<string>
  /** The id of the secret with this name. */
  findSecret(name: string, signal: AbortSignal): Promise<string | undefined>
  /** Creates or enables the webhook with this address. */
  ensureWebhook(webhook: WantedWebhook, signal: AbortSignal): Promise<EnsuredWebhook>

  /** The provider's stock voices and those of this account. */
  listVoices(signal: AbortSignal): Promise<readonly ProviderVoice[]>

  /** Creates or updates the test with this name; returns its id. */
  ensureTest(test: AgentTest, signal: AbortSignal): Promise<string>
  /** Removes all tests whose names begin with this. */
  removeTests(namesBeginning: string, signal: AbortSignal): Promise<void>
  /** Runs them all and waits for the verdicts, up to a deadline. */
  runTests(
    agentId: string,
    testIds: readonly string[],
    signal: AbortSignal,
  ): Promise<TestRun | AgentNotUsable>
}

/** The provider no longer knows this id, or rejects the agent (HTTP 400, 404 or 422). */
export interface AgentNotUsable {
  readonly kind: 'agent_not_usable'
  readonly agentId: string
  readonly status: number
  /** The provider's message. */
  readonly reason: string
}

/** The provider has no WebRTC for any agent. */
export interface TransportNotUsable {
  readonly kind: 'transport_not_usable'
  /** The provider's message. */
  readonly reason: string
}

export interface HeldAgent {
  readonly kind: 'held'
  readonly agentId: string
  readonly template: AgentTemplate
  /** The provider's paths of additions that no template has: tools, servers or documents that somebody added. */
  readonly beyond: readonly string[]
  /** All other fields, by the same paths: the provider's defaults, unless somebody changed them. */
  readonly rest: Readonly<Record<string, Json>>
}

export interface HeldTool {
  readonly tool: ServerTool
  /** The provider's paths of fields that differ from every tool of ours. */
  readonly beyond: readonly string[]
}

export interface AgentSummary {
  readonly agentId: string
  readonly name: string
  /** ISO 8601. */
  readonly createdAt: string
}

export interface SignedUrl {
  readonly kind: 'signed_url'
  readonly signedUrl: string
  readonly providerConversationId: string
  /** ISO 8601. The connection must be opened by then. */
  readonly expiresAt: string
}

export interface ConversationToken {
  readonly kind: 'conversation_token'
  readonly conversationToken: string
  readonly providerConversationId: string
  readonly expiresAt: string
}

export interface ConversationQuery {
  readonly agentId?: string
  /** ISO 8601; only conversations that began later. */
  readonly after?: string
  readonly cursor?: string
}

export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export interface WantedWebhook {
  readonly name: string
  readonly url: string
}

export interface EnsuredWebhook {
  readonly webhookId: string
  /** The signing secret; returned only at creation. */
  readonly secret?: string
}

export interface TestRun {
  readonly kind: 'run'
  readonly results: readonly TestResult[]
}
