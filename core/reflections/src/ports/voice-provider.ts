import type { Json, ProviderVoice } from '@parley/contracts'
import type { AgentTemplate } from '../template/agent-template.ts'

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
  readAgent(agentId: string, signal: AbortSignal): Promise<ProviderAgent | AgentNotUsable>
  /** Does nothing if the agent does not exist, like every `remove…` here. */
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
  readTool(toolId: string, signal: AbortSignal): Promise<ProviderTool | undefined>
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
  /** Removes all tests whose names begin with this text. */
  removeTests(namesBeginning: string, signal: AbortSignal): Promise<void>
  /** Runs all tests and waits for the verdicts, up to a deadline. */
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

/** An agent as the provider has it. */
export interface ProviderAgent {
  readonly kind: 'agent'
  readonly agentId: string
  readonly template: AgentTemplate
  /** The provider's paths of additions that no template has: tools, servers or documents that somebody added. */
  readonly unexpectedPaths: readonly string[]
  /** All fields outside the template, by the same paths: the provider's defaults, unless somebody changed them. */
  readonly otherFields: Readonly<Record<string, Json>>
}

/** A tool as the provider has it. */
export interface ProviderTool {
  readonly tool: ServerTool
  /** The provider's paths of fields that differ from every tool of ours. */
  readonly unexpectedPaths: readonly string[]
}

interface AgentSummary {
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

interface ConversationQuery {
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

interface TestRun {
  readonly kind: 'run'
  readonly results: readonly TestResult[]
}

/** A finished conversation as the provider returns it. */
export interface ProviderConversation {
  readonly conversationId: string
  readonly agentId: string
  readonly status: ConversationStatus
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationSeconds: number
  readonly entries: readonly TranscriptEntry[]
  readonly variables: Readonly<Record<string, Json>>
  readonly hasAudio: boolean
  readonly endReason?: string
}

/** `processing`: the call is over, its transcript is not ready. */
export type ConversationStatus = 'initiated' | 'in-progress' | 'processing' | 'done' | 'failed'

export interface TranscriptEntry {
  readonly role: 'person' | 'agent'
  /** The words that were heard: an interrupted answer ends at the interruption. */
  readonly text: string
  readonly isInterrupted: boolean
  readonly atSeconds: number
  readonly toolCalls: readonly TranscriptToolCall[]
}

export interface TranscriptToolCall {
  readonly callId: string
  readonly name: string
  /** JSON, as the model gave it. */
  readonly input: string
  /** Absent if the tool did not answer. */
  readonly result?: { readonly text: string; readonly isError: boolean; readonly tookSeconds: number }
}

interface ConversationSummary {
  readonly conversationId: string
  readonly agentId: string
  readonly status: ConversationStatus
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationSeconds: number
}

/** A tool that the provider calls over HTTP with a JSON body while it speaks. */
export interface ServerTool {
  readonly name: string
  /** When the model should use it, and for what. */
  readonly description: string
  readonly url: string
  readonly headers: Readonly<Record<string, HeaderValue>>
  readonly parameters: Readonly<Record<string, ToolParameter>>
  /** From 5 to 300. */
  readonly timeoutSeconds: number
}

/** A fixed value, or one that the provider fills in: a stored secret or a variable of the conversation. */
export type HeaderValue = string | { readonly secretId: string } | { readonly variable: string }

export interface ToolParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean'
  readonly isRequired: boolean
  readonly value: ParameterSource
}

/** The origin of a value. The model sees only the values that it gives. */
export type ParameterSource =
  | { readonly kind: 'model'; readonly description: string; readonly oneOf?: readonly string[] }
  | { readonly kind: 'variable'; readonly variable: string }
  | { readonly kind: 'constant'; readonly constant: string | number | boolean }

interface TestBasics {
  /** Identifies the test at the provider. */
  readonly name: string
  readonly variables: Readonly<Record<string, Json>>
  /** The conversation so far; the last entry is the person's. */
  readonly history: readonly { readonly role: 'person' | 'agent'; readonly text: string }[]
}

/** A test of an agent at the provider. */
export type AgentTest =
  /** One answer, judged by a condition. */
  | (TestBasics & {
      readonly kind: 'answer'
      readonly condition: string
      readonly goodAnswers: readonly string[]
      readonly badAnswers: readonly string[]
    })
  /** Expects that a tool is called or not called. */
  | (TestBasics & {
      readonly kind: 'tool'
      readonly toolId: string
      readonly expect: 'called' | 'not-called'
    })
  /** A whole conversation with a made-up person. */
  | (TestBasics & {
      readonly kind: 'simulation'
      readonly scenario: string
      readonly maxTurns: number
      readonly conditions: readonly string[]
      /** The answers of tools by their ids, since a test reaches no server. */
      readonly mocks?: Readonly<Record<string, string>>
    })

export interface TestResult {
  readonly testId: string
  readonly testName: string
  /** `unfinished`: it did not end by the deadline, or was aborted. */
  readonly verdict: 'passed' | 'failed' | 'unfinished'
  /** The reasons of the judge. */
  readonly reasons: readonly string[]
}

/** Remembers the processed webhooks, for at least as long as one may be repeated. */
export interface WebhookClaims {
  /** Whether any process finished a webhook with this key. */
  isTaken(eventKey: string): Promise<boolean>
}
