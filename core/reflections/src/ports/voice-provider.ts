import type { Json, ProviderVoice } from '@parley/contracts'
import type { AgentTemplate } from '../template/agent-template.ts'
import type { AgentTest, TestResult } from './agent-test.ts'
import type { ConversationSummary, ProviderConversation } from './provider-conversation.ts'
import type { ServerTool } from './server-tool.ts'

/**
 * Who runs the spoken conversations. Every call has a deadline. It throws `provider_auth`, `provider_rate_limit`,
 * `provider_unavailable`, `validation` where the provider refuses what it was given, and `cancelled` on an abort.
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

  /** Good for one connection over WebSocket. */
  getSignedUrl(agentId: string, signal: AbortSignal): Promise<SignedUrl | AgentNotUsable>
  /** Good for one connection over WebRTC. */
  getConversationToken(
    agentId: string,
    signal: AbortSignal,
  ): Promise<ConversationToken | AgentNotUsable | TransportNotUsable>

  /** Undefined where the provider has no such conversation. */
  readConversation(conversationId: string, signal: AbortSignal): Promise<ProviderConversation | undefined>
  listConversations(query: ConversationQuery, signal: AbortSignal): Promise<ConversationPage>
  /** Hangs up a running call; nothing happens where it is over. Throws where the provider's plan has no such control. */
  endConversation(conversationId: string, signal: AbortSignal): Promise<void>
  removeConversation(conversationId: string, signal: AbortSignal): Promise<void>

  /** Finds it by name and address, and makes it as it should be; answers its id. */
  ensureTool(tool: ServerTool, signal: AbortSignal): Promise<string>
  /** Undefined if the tool does not exist or is not called over HTTP. */
  readTool(toolId: string, signal: AbortSignal): Promise<HeldTool | undefined>
  removeTool(toolId: string, signal: AbortSignal): Promise<void>
  /** Finds it by name, and gives it this value; answers its id. */
  ensureSecret(name: string, value: string, signal: AbortSignal): Promise<string>
  /** The id of the secret with this name. */
  findSecret(name: string, signal: AbortSignal): Promise<string | undefined>
  /** Finds it by its address, and sees that it is on. */
  ensureWebhook(webhook: WantedWebhook, signal: AbortSignal): Promise<EnsuredWebhook>

  /** The voices that can be spoken with, the provider's own and those of this account. */
  listVoices(signal: AbortSignal): Promise<readonly ProviderVoice[]>

  /** Finds it by name, and makes it as it should be; answers its id. */
  ensureTest(test: AgentTest, signal: AbortSignal): Promise<string>
  /** All tests whose names begin so. */
  removeTests(namesBeginning: string, signal: AbortSignal): Promise<void>
  /** Runs them all and waits for the verdicts, up to a deadline. */
  runTests(
    agentId: string,
    testIds: readonly string[],
    signal: AbortSignal,
  ): Promise<TestRun | AgentNotUsable>
}

/** The provider does not know this id any more, or does not take the agent as it is (HTTP 400, 404 or 422). */
export interface AgentNotUsable {
  readonly kind: 'agent_not_usable'
  readonly agentId: string
  readonly status: number
  /** What the provider said. */
  readonly reason: string
}

/** The provider has no WebRTC; that is nothing of the agent. */
export interface TransportNotUsable {
  readonly kind: 'transport_not_usable'
  /** What the provider said. */
  readonly reason: string
}

export interface HeldAgent {
  readonly kind: 'held'
  readonly agentId: string
  readonly template: AgentTemplate
  /** What it has that no template has, by the provider's paths: tools, servers or documents that somebody added. */
  readonly beyond: readonly string[]
  /** All else that the provider holds of it, by the same paths: its defaults, unless somebody changed them. */
  readonly rest: Readonly<Record<string, Json>>
}

export interface HeldTool {
  readonly tool: ServerTool
  /** What of it is not as every tool of ours is, by the provider's paths. */
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
  /** ISO 8601; the connection has to be opened by then. */
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
  /** ISO 8601; those that began later. */
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
  /** What it signs with; told only when it is made. */
  readonly secret?: string
}

export interface TestRun {
  readonly kind: 'run'
  readonly results: readonly TestResult[]
}
